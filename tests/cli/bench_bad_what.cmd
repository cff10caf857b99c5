trireme bench allgather
