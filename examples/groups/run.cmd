folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
trireme launch -n 4 --logs "$folder" groups 2>/dev/null | LC_ALL=C sort
