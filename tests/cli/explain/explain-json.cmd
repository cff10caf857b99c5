trireme explain parameter-server --workers 2 --parameters 3 --json
