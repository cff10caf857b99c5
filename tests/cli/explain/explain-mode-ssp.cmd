trireme explain parameter-server --mode ssp:3 --workers 4 --servers 2 --parameters 1000 --node S1
