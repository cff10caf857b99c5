ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts a,b --meet 127.0.0.1:0 --ssh "$ssh" --logs logs -- \
  sh -c 'trap "echo told; exit" INT; echo $$ >$TRIREME_RANK; while :; do sleep 0.1; done' >out &
until test -s 0 -a -s 1; do sleep 0.05; done
kill -INT $!; wait $! ; status=$?; sort out; exit $status
