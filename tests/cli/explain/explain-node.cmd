trireme explain direct --workers 4 --parameters 100 --node B
