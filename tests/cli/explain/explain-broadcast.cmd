trireme explain --operation broadcast --workers 8 --parameters 1000
