trireme explain parameter-server --mode backup:1 --workers 4 --servers 5 --parameters 3 --quiet-ops
