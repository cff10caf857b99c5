folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 2 --logs logs --json -- sh -c 'test $TRIREME_RANK = 0 || echo to stderr' |
  sed -E 's/("process"): ?[0-9]+/\1: 0/; s/("seconds"): [0-9.e-]+/\1: 0/'
