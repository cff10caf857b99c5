trireme explain --operation gather --values examples/ring_by_hand/values.csv --root B
