trireme explain --all --workers 4 --parameters 10 --run
