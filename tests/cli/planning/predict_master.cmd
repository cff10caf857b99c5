trireme predict examples/planning/master_and_workers.toml
