trireme explain all-to-all --workers 100000 --parameters 10
