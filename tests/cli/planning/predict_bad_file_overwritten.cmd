trireme predict examples/planning/cluster_16x10GbE.toml --sweep workers=1..4 --csv examples/../examples/planning/cluster_16x10GbE.toml
