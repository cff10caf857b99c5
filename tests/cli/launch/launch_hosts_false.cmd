folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts a:1 --ssh false --logs logs -- true 2>&1 | sed -E 's/after [0-9.]+ m?s/after TIME/'
