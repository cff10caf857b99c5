trireme bench allreduce --strategy wheelbarrow
