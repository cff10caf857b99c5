# A node that exits normally before it joins is named at once, on every wire: the deadline is a minute.
ssh=$PWD/tests/cli/fake-ssh
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
job() {
  trireme launch "$@" --logs logs --json -- sh -c 'test $TRIREME_RANK != 1 || exit 0; exec average' 2>err |
    grep first_failure_rank
  sed -nE 's/^trireme launch: first failure: (host [ab]: )?//; s/process [0-9]+/process N/; s/^rank [02]: /rank X: /
    s/; rank [02]: .*/; …/; s/(rank 1 has ended).*/\1 …/; $p' err
}
job -n 3 --wire shm
job -n 3 --wire tcp
job --hosts a:1,b:2 --meet 127.0.0.1:0 --ssh "$ssh"
