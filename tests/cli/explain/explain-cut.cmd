trireme explain ring --workers 50 --parameters 1000
