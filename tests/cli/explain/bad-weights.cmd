folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
values=examples/ring_by_hand/values.csv
weights=examples/ring_by_hand/weights.csv
explain() { trireme explain "$@" 2>&1 >/dev/null | sed "s#$folder#FOLDER#g"; }
explain ring --values $values --weights $weights --rate 0.1
explain parameter-server --values $values --weights $weights
explain parameter-server --values $values --rate 0.1
explain parameter-server --workers 4 --parameters 4 --weights $weights --rate 0.1
explain parameter-server --values $values --weights $weights --rate nan
explain parameter-server --values $values --weights $weights --rate 0.1 --run
explain parameter-server --values $values --weights $values --rate 0.1
explain parameter-server --values $values --weights /nowhere.csv --rate 0.1
printf 'weights,v0\na,1\n' >"$folder/short.csv"
explain parameter-server --values $values --weights "$folder/short.csv" --rate 0.1
printf 'weights,v0\na,1\nb,2\n' >"$folder/two.csv"
explain parameter-server --values $values --weights "$folder/two.csv" --rate 0.1
explain --all --workers 4 --parameters 4 --rate 0.1
