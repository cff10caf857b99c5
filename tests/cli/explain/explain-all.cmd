trireme explain --all --workers 8 --parameters 25000000
