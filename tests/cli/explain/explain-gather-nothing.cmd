trireme explain --operation gather --workers 3 --parameters 1 --root C
