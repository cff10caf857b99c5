trireme explain --operation broadcats --workers 4 --parameters 10
