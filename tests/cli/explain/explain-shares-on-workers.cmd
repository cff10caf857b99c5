trireme explain parameter-server --workers 3 --servers 0 --parameters 10
