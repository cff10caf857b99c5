folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 12 --logs logs -- sh -c 'printf "%s of %s\n" $TRIREME_RANK $TRIREME_SIZE' | LC_ALL=C sort
cat logs/rank-11.log
