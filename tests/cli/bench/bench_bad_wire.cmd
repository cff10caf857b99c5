trireme bench allreduce --wire smh
