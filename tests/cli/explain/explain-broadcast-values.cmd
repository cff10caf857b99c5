trireme explain --operation broadcast --values examples/ring_by_hand/values.csv --root C | tail -15
