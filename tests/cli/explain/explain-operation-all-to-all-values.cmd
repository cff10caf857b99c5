trireme explain --operation all-to-all --values examples/ring_by_hand/values.csv --quiet-ops
