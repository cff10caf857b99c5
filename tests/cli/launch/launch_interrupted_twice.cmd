# The second signal comes when all nodes have ended, while the document waits for its reader: the last
# messages are still printed. A process that a shell starts with & ignores this signal, unless told otherwise.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
mkfifo pipe; exec 3<>pipe; head -c 65536 /dev/zero >&3
env --default-signal=INT trireme launch -n 2 --json --logs logs -- sh -c ': > ready-$TRIREME_RANK; exec sleep 1000' >&3 2>errors & launcher=$!
until [ -e ready-0 ] && [ -e ready-1 ]; do sleep 0.01; done
kill -INT $launcher
while read -r -n 1 _ < /proc/$launcher/task/$launcher/children; do sleep 0.01; done
kill -INT $launcher
head -c 65536 <&3 >/dev/null
wait $launcher; echo "status $?"; cat errors
