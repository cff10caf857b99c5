trireme bench allreduce --wire mpi --workers 1 --min-bytes 256 --max-bytes 1024 --json 2>/dev/null |
  sed -E 's/(_us|GBps)":[0-9.e-]+/\1":0/g'
