# On other workers and servers, by another strategy and rule; then with the same again.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[8]')
words() { sed "s#$folder#FOLDER#g" | grep -E 'going on|was .* now|again|nothing is left|^"?checkpoint'; }
"${job[@]}" --workers 3 --strategy parameter-server --servers 2 --steps 8 --out "$folder/a" 2>&1 | words
trireme train --resume "$folder/a" --workers 2 --servers 0 --strategy ring --set optimizer.rate=0.1 --steps 20 --out "$folder/b" 2>&1 | words
trireme train --resume "$folder/b/checkpoints/step-20" --steps 15 2>&1 | words
trireme train --resume "$folder/b" --epochs 0 --json 2>&1 | words
trireme train --resume "$folder/b" --epochs 0 2>&1 | grep 'test accuracy' | sed -E 's/[0-9]+\.[0-9]+/N/g'
