ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts a,b --meet 127.0.0.1:0 --ssh "$ssh" --logs logs --json -- true |
  sed -E 's/("process"): ?[0-9]+/\1: 0/; s/("seconds"): [0-9.e-]+/\1: 0/'
