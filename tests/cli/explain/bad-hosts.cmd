trireme explain hierarchical --workers 4 --hosts 3 --parameters 10
