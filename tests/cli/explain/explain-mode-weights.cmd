# One worker's gradient.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
head -2 examples/ring_by_hand/values.csv >"$folder/one.csv"
trireme explain parameter-server --mode async --workers 4 --values "$folder/one.csv" --weights examples/ring_by_hand/weights.csv --rate 0.5
