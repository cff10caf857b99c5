trireme explain ring --operation all-gather --workers 4 --parameters 8
