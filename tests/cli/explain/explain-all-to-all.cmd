trireme explain all-to-all --workers 3 --parameters 10
