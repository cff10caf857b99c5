trireme launch -n 3 --logs "$(mktemp -d)" -- trireme bench allreduce --wire threads 2>&1 | sed -n 's/^\[0\] //p'
