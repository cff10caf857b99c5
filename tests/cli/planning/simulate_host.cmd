trireme simulate examples/planning/one_host_8_cores.toml
