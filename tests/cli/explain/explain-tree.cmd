trireme explain tree --workers 5 --parameters 10
