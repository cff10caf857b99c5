trireme explain ring --workers 4 --parameters 10 --order A,B,C
