trireme explain ring --workers 0 --parameters 10 --json
