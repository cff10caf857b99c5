folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 1 --logs logs -- echo hello >&-
