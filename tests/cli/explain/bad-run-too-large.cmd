trireme explain all-to-all --workers 16 --parameters 8000000 --run
