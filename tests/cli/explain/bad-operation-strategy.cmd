trireme explain hierarchical --operation gather --workers 4 --parameters 10
