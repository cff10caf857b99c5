trireme predict examples/planning/cluster_16x10GbE.toml --workers 1e18
