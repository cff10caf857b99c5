trireme explain ring B --workers 4 --parameters 10
