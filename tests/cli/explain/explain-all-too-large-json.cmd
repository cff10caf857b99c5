trireme explain --all --workers 2 --parameters 600_000_000_000_000_000 --json
