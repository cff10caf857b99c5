trireme explain --all --operation gather --workers 8 --parameters 100 --servers 2
