folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
train() { trireme train --set data.kind=synthetic --set model.kind=mlp --steps 20 --workers 2 --out "$folder/a" "$@"; }
train --json >"$folder/out" 2>"$folder/err"
diff "$folder/out" "$folder/a/summary.json" && ls "$folder/a"
grep -c samples_per_s "$folder/a/metrics.jsonl"
train 2>&1 | sed "s#$folder#FOLDER#g"
