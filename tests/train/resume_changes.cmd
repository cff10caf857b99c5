# On other workers and servers, by another strategy and rule; then with the same again.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
job=(--set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[8]')
# First what is said on standard error, then the result: the two streams have no order among each other.
train() { trireme train "$@" >"$folder/result" 2>"$folder/said"; cat "$folder/said" "$folder/result"; }
words() { sed "s#$folder#FOLDER#g" | grep -E 'going on|was .* now|again|nothing is left|^"?checkpoint'; }
train "${job[@]}" --workers 3 --strategy parameter-server --servers 2 --steps 8 --out "$folder/a" | words
train --resume "$folder/a" --workers 2 --servers 0 --strategy ring --set optimizer.rate=0.1 --steps 20 --out "$folder/b" | words
train --resume "$folder/b/checkpoints/step-20" --steps 15 | words
train --resume "$folder/b" --epochs 0 --json | words
train --resume "$folder/b" --epochs 0 | grep 'test accuracy' | sed -E 's/[0-9]+\.[0-9]+/N/g'
