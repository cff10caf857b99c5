trireme predict examples/planning/federated.toml
