ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts a,b --meet 127.0.0.1:0 --ssh "$ssh" --logs logs -- \
  sh -c 'echo $$ >$TRIREME_RANK; exec sleep 1000' 2>/dev/null &
until test -s 0 -a -s 1; do sleep 0.05; done
kill -KILL $!; wait $! 2>/dev/null
is_there() { grep -qs 'State:.[^ZX]' /proc/$1/status; }
while is_there $(cat 0) || is_there $(cat 1); do sleep 0.1; done
echo all gone
