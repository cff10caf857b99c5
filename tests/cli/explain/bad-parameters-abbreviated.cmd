trireme explain ring --workers 4 --parameters 25M
