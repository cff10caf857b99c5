trireme explain parameter-server --mode async --workers 4 --servers 2 --parameters 1000 --run
