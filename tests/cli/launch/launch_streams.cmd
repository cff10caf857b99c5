folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 1 --logs logs -- sh -c 'echo to stdout; printf "to stderr, without an end" >&2'
