trireme explain tree --operation gather --workers 6 --parameters 13 --root D
