ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 2 --wire tcp --logs logs -- \
  sh -c 'echo $TRIREME_RANK at $TRIREME_MEET, segment ${TRIREME_SEGMENT:+shared}, secret of ${#TRIREME_SECRET}' |
  sed -E 's/:[0-9]+,/:PORT,/' | sort
