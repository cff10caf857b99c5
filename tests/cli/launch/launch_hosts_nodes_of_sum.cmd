ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts a,b:2 --meet 127.0.0.1:0 --ssh "$ssh" --logs logs -- sh -c 'echo of $TRIREME_SIZE' | sort
