trireme explain ring --values examples/ring_by_hand/values.csv --workers 3
