trireme bench allreduce --min-bytes 10
