trireme predict examples/planning/one_host_8_cores.toml
