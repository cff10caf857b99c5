trireme simulate examples/planning/cluster_16x10GbE.toml --trace ./examples/planning/cluster_16x10GbE.toml
