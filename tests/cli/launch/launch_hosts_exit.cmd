ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts a:2,b:2 --meet 127.0.0.1:0 --ssh "$ssh" --logs logs -- \
  sh -c 'test $TRIREME_RANK != 2 || exit 3; exec sleep 1000' 2>&1 | sed -E 's/process [0-9]+/process N/'
