trireme predict examples/planning/cluster_16x10GbE.toml --set network.topology=ring --set job.workers=128 | head -32
