# The host that is named is that of the node that is stopped, not of the one that waits for it.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; ssh=$PWD/tests/cli/fake-ssh; cd "$folder" || exit
trireme launch --hosts a:1,b:1 --meet 127.0.0.1:0 --ssh "$ssh" --timeout 2s --logs logs -- \
  sh -c '[ "$TRIREME_RANK" = 0 ] || kill -STOP $$; exec trireme bench allreduce --max-bytes 4' 2>&1 |
  sed -nE 's/\(process [0-9]+\)/(process P)/g; s/.*(first failure: host .: rank 1 \(process P\) was stopped).*/\1/p'
