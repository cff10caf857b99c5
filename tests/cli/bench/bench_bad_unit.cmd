trireme bench allreduce --max-bytes 1MB/s
