trireme explain ring --workers -3 --parameters 10
