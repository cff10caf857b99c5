trireme predict examples/planning/cluster_16x10GbE.toml --print-config
