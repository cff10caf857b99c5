trireme bench scatter --servers 1
