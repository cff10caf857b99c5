trireme explain direct --operation broadcast --workers 4 --parameters 8 --root C
