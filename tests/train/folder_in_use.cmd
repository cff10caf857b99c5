folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
flags=(--set data.kind=synthetic --set model.kind=mlp --workers 2 --out "$folder/a")
trireme train "${flags[@]}" --steps 1000000000 >"$folder/first" 2>&1 &
first=$!
for _ in {1..600}; do [[ -s $folder/a/metrics.jsonl ]] && break; sleep 0.1; done
trireme train "${flags[@]}" --steps 1 2>&1 | sed "s#$folder#FOLDER#g; s/process $first;/process PID;/"
kill -TERM "$first"; wait "$first"
trireme train --resume "$folder/a" --steps 1 >/dev/null 2>&1; echo "when that has ended: status $?"
