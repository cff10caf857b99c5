trireme explain ring --workers 400 --parameters 1000 | tail -n 3
