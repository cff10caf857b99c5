trireme explain ring --values examples/ring_by_hand/values.csv --order A,B,D,C --json
