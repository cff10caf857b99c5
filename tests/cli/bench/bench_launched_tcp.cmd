trireme launch -n 3 --wire shm --logs "$(mktemp -d)" -- trireme bench allreduce --wire tcp 2>&1 | sed -n 's/^\[0\] //p'
