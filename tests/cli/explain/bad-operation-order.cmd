trireme explain direct --operation all-gather --workers 4 --parameters 10 --order A,C,B,D
