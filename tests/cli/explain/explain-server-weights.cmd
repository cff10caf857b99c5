trireme explain parameter-server --values examples/ring_by_hand/values.csv --weights examples/ring_by_hand/weights.csv --rate 0.5
