trireme explain direct --workers 3 --parameters 2
