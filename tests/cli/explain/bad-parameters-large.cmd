trireme explain ring --workers 4 --parameters 9223372036854775808
