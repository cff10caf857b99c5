trireme explain direct --operation reduce-scatter --workers 3 --parameters 7
