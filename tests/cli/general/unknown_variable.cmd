# Said once, by the program itself or by its launcher.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
export TRIREME_TIMEOT=5s
average 2>&1 >/dev/null
for wire in shm tcp; do trireme launch -n 2 --logs "$folder" --wire $wire average 2>&1 >/dev/null | grep TRIREME_; done
