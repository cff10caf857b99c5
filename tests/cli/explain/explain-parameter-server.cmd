trireme explain parameter-server --workers 3 --servers 2 --parameters 10
