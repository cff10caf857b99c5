for wire in shm threads; do for memory in '' --private; do
  trireme bench allreduce --workers 3 --wire $wire --min-bytes 256B --max-bytes 1KiB $memory --json 2>/dev/null
done; done | sed -E 's/(_us|GBps)":[0-9.e-]+/\1":0/g'
