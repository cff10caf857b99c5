# The reported failure is the full disk, whatever mpirun prints.
trireme bench allreduce --wire mpi --workers 1 --min-bytes 4 --max-bytes 4 2>&1 >/dev/full | tail -n 1
