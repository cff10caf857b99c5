trireme simulate examples/planning/async_time.toml --schedule examples/planning/../planning/async_time.toml
