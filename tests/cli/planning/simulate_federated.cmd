trireme simulate examples/planning/federated.toml
