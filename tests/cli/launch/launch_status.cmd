folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 3 --logs logs -- sh -c 'test $TRIREME_RANK != 2 || exit 3; exec sleep 1000' 2>&1 |
  sed -E 's/process [0-9]+/process N/'
