trireme explain recursive-doubling --workers 3 --parameters 10
