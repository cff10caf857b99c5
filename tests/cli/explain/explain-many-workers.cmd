trireme explain parameter-server --workers 100000 --parameters 10 --quiet-ops
