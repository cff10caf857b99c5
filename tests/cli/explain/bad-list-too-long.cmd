trireme explain ring --workers 1000 --parameters 1000 --json
