trireme explain tree --operation scatter --workers 6 --parameters 2
