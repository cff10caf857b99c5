trireme simulate examples/planning/cluster_16x10GbE.toml
