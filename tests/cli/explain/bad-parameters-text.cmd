trireme explain ring --workers 4 --parameters abc
