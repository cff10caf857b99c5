# The exit status is that of the node, and a killed node, which cannot report it, is reported.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
cp "$(realpath "$(command -v trireme)")" trireme
train() {
  printf '#!/bin/sh\ntest $OMPI_COMM_WORLD_RANK != 1 || %s\nexec sleep 1000\n' "$1" >trireme-train; chmod +x trireme-train
  ./trireme train --wire mpi --workers 2 2>err; echo "status $?"; grep '^trireme' err | tail -n 1
}
train 'kill -9 $$'
train 'exit 1'
train 'exit 2'
train 'exit 77'
