trireme explain ring --workers 100000 --parameters 20 --node B
