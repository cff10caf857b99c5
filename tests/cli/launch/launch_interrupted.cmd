folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 2 --logs logs -- sh -c 'test $TRIREME_RANK = 0 || kill -INT $PPID; exec sleep 1000'
