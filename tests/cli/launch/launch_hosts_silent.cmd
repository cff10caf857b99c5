ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
# The other host has answered long before the time is up, even on a slow machine.
trireme launch --timeout 10s --hosts a,silent --meet 127.0.0.1:0 --ssh "$ssh" --logs logs -- echo never 2>&1 |
  sed -E "s#$ssh#fake-ssh#g"
