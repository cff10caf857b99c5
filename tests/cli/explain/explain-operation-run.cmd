trireme explain --operation broadcast --workers 4 --parameters 10 --run
