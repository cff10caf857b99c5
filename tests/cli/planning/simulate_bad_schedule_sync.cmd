trireme simulate examples/planning/sync_step.toml --schedule schedule.jsonl
