trireme explain ring --values no-such-file.csv
