trireme bench all-gather --min-bytes 4
