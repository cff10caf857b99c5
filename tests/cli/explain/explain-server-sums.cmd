trireme explain parameter-server --values examples/ring_by_hand/values.csv --servers 2
