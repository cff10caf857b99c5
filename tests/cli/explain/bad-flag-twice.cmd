trireme explain ring --workers 4 --workers 5
