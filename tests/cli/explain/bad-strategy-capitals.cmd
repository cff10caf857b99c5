trireme explain RING --workers 4 --parameters 10
