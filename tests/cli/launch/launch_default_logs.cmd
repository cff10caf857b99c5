folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 1 -- echo hello 2>&1 | sed -E 's/[0-9]{8}-[0-9]{6}-[0-9]+/TIME-PROCESS/'
cat trireme-logs/*/rank-0.log
