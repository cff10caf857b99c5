# A copy with wrong input ends with status 2, and so does launch; but not if it only follows another failure.
ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
job() { trireme launch "$@" 2>/dev/null; echo "status $?"; }
hosts=(--hosts a:1,b:1 --meet 127.0.0.1:0 --ssh "$ssh" --logs logs)
job -n 2 --logs logs -- sh -c 'test $TRIREME_RANK != 1 || exit 2; sleep 0.5; exit 1'
job -n 2 --logs logs -- sh -c 'test $TRIREME_RANK != 1 || exit 1; sleep 0.5; exit 2'
job "${hosts[@]}" -- sh -c 'test $TRIREME_RANK != 1 || exit 2; exec sleep 1000'
