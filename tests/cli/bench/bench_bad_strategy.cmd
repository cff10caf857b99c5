trireme bench allreduce --strategy rings
