trireme simulate examples/planning/cluster_16x10GbE.toml --set compute.spread=exponential --set job.rounds=3
