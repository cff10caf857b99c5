trireme help | head -1
trireme help predict | head -2
TRIREME_TIMEOT=5s trireme explain ring --workers 2 --parameters 2 --quiet-ops 2>&1 >/dev/null
