trireme explain halving-doubling --workers 5 --parameters 10
