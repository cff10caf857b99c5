# The launcher decides the number of workers, even against a file; another number on the command line is an error.
# All lines come on standard error, which keeps their order.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
cp "$(realpath "$(command -v trireme)")" trireme
printf '#!/bin/sh\necho "$1" | sed -n "/^workers/p; /^servers/p" >&2\n' >trireme-train; chmod +x trireme-train
printf '[exchange]\nworkers = 4\n' >job.toml
of_rank_0() { ./trireme launch -n 3 --wire shm --logs logs -- ./trireme train "$@" 2>&1 | sed -n 's/^\[0\] //p'; }
of_rank_0 job.toml
of_rank_0 --strategy parameter-server --servers 1
of_rank_0 --strategy parameter-server
of_rank_0 --workers 2
of_rank_0 --set exchange.workers=2
of_rank_0 --strategy parameter-server --servers 3
of_rank_0 --wire tcp
of_rank_0 --wire threads
