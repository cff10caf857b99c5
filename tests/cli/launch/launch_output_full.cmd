folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 1 --logs logs -- sh -c 'echo hello; exec sleep 1000' >/dev/full
