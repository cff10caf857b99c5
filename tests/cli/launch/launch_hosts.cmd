ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 4 --hosts 127.0.0.1:2,127.0.0.2:2 --ssh "$ssh" --logs logs -- \
  sh -c 'echo $TRIREME_RANK of $TRIREME_SIZE at $TRIREME_MEET on $TRIREME_HOSTS hosts' | sed -E 's/:[0-9]+ /:PORT /' | sort
cat logs/rank-3.log | sed -E 's/:[0-9]+ /:PORT /'
