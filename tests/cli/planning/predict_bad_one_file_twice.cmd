trireme predict examples/planning/cluster_16x10GbE.toml --sweep workers=1..4 --csv none.out --svg ./none.out
