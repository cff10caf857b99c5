trireme predict examples/planning/sync_step.toml
