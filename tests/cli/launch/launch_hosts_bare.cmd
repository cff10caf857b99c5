ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts bare --ssh "$ssh" --logs logs -- echo never 2>&1 |
  sed -E "s#$ssh#fake-ssh#g; s/after [0-9.]+ m?s/after TIME/"
