trireme predict examples/planning/cluster_16x10GbE.toml --sweep workers=999999..1000001
