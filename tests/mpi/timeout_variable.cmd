# The deadline in the environment also holds for nodes that the program starts under mpirun.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
cp "$(realpath "$(command -v trireme)")" trireme
printf '#!/bin/sh\necho "$TRIREME_TIMEOUT"; echo "$1" | grep ^timeout\n' >trireme-train; chmod +x trireme-train
TRIREME_TIMEOUT=250ms ./trireme train --wire mpi --workers 2 | sort
