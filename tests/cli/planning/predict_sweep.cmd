trireme predict examples/planning/cluster_16x10GbE.toml --sweep workers=1,2,4,8,16,32,64
trireme predict examples/planning/cluster_16x10GbE.toml --sweep workers=1..4 --json
