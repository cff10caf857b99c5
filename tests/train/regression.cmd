# Numbers to predict: the model has one output, and no accuracy.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
for a in {1..20}; do for b in {1..20}; do echo "$a,$b,$((3 * a - b)).5"; done; done >line.csv
job=(trireme train --set data.kind=csv --set data.path=line.csv --set data.label=3 --set data.normalize=standard
     --set model.kind=linear --set train.loss=mse --set data.batch=20 --workers 2 --epochs 20)
numbers() { sed -E 's/loss"?:? ?[0-9.]+/loss N/g'; }
"${job[@]}" --out run >result 2>said; cat said result | grep -E '^test|parameters|epoch 20:' | numbers
grep -E 'accuracy|loss' run/summary.json | numbers
grep test_loss run/metrics.jsonl | tail -n 1 | numbers
# It has learned: the mean of squared errors is less than that of always saying the mean.
awk -F'[:,]' '/"test_loss"/ { print ($2 < 50 ? "learned" : "not learned: " $2) }' run/summary.json
