trireme explain direct --workers 4 --parameters 0
