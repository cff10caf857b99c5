trireme explain tree --workers 1000 --parameters 10 --run
