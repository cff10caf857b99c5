trireme explain --operation all-gather --workers 4 --parameters 10 --root A
