trireme explain ring --workers 4 --parameters 10 --servers 2
