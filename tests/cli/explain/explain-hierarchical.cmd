trireme explain hierarchical --workers 4 --hosts 2 --parameters 10
