ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
# The secret is in the environment of the nodes, and on no command line.
export TRIREME_SECRET=a-secret-of-this-test-alone
trireme launch --hosts a --ssh "$ssh" --logs logs -- sh -c '
  echo $TRIREME_SECRET
  cat /proc/[0-9]*/cmdline >all 2>/dev/null
  grep -ac "$TRIREME_SECRET" all; :'
