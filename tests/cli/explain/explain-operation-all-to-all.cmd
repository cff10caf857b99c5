trireme explain --operation all-to-all --workers 3 --parameters 7
