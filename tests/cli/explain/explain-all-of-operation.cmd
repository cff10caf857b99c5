trireme explain --all --operation gather --workers 8 --parameters 25000000 --root H
