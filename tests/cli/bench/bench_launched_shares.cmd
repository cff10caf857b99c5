trireme launch -n 2 --logs "$(mktemp -d)" -- trireme bench allreduce --strategy parameter-server --max-bytes 4 2>&1 | sed -n '/share/s/^\[0\] //p'
