# All nodes are stopped; only their agents are left to notice it.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; ssh=$PWD/tests/cli/fake-ssh; cd "$folder" || exit
trireme launch --hosts a:1,b:2 --meet 127.0.0.1:0 --ssh "$ssh" --timeout 5s --logs logs -- sh -c 'kill -STOP $$' 2>&1 |
  sed -E 's/host [ab]: rank [0-9] \(process [0-9]+\)/host H: rank N (process P)/'
