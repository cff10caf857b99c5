trireme explain tree --workers 4 --parameters 10 --order A,B,C,D
