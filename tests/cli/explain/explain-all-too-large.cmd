trireme explain --all --workers 5000 --parameters 100,000,000,000
