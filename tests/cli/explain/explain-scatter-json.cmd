trireme explain --operation scatter --values examples/ring_by_hand/values.csv --root B --json
