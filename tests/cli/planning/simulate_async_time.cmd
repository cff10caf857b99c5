trireme simulate examples/planning/async_time.toml
