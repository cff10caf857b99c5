trireme explain direct --values examples/ring_by_hand/values.csv --json --quiet-ops
