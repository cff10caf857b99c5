trireme simulate examples/planning/async_updates.toml --json
