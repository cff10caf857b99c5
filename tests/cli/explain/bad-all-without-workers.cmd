trireme explain --all --parameters 10
