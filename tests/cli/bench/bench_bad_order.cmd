trireme bench allreduce --min-bytes 64 --max-bytes 16
