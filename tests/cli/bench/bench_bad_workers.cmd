trireme bench allreduce --workers 0
