trireme explain rnig --workers 4 --parameters 10
