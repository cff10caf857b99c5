trireme explain ring --operation reduce-scatter --values examples/ring_by_hand/values.csv --order A,B,D,C
