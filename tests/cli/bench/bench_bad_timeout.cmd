trireme bench allreduce --timeout soon
