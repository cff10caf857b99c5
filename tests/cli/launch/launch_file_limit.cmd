folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
ulimit -f 1000
trireme launch -n 2 --logs logs average
