trireme explain parameter-server --mode backup:1 --workers 4 --parameters 3 --json
