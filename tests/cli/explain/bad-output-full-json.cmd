trireme explain ring --workers 40 --parameters 1000 --json >/dev/full
