trireme explain ring --workers 1 --parameters 10 --run
