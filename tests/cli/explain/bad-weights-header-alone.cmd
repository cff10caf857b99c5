printf 'weights,v0,v1\n' | trireme explain parameter-server --values examples/ring_by_hand/values.csv --rate 0.1 --weights /dev/stdin
