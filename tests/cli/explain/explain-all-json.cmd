trireme explain --all --workers 6 --hosts 2 --servers 0 --parameters 10 --json
