# What a run in each mode says, where it does not depend on the speed of workers; the sum of all staleness of one share is a law.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[8]'
     --strategy parameter-server --workers 3 --steps 10 --out run --json)
sentences() { grep -E 'mode|divided|update|server|slow' "$1" | grep -v -E 'share .* cores|^trireme train: step'; }
figures() {
  python3 - run/summary.json <<'PY'
import json, sys
one = json.load(open(sys.argv[1]))
histogram = one["staleness"]["histogram"]
gradients, stale = sum(histogram), sum(k * count for k, count in enumerate(histogram))
print(one["mode"], "steps", one["steps"], "updates", one["updates"], "duplicates", one["duplicates"])
print("gradients in the histogram:", gradients, "most is its last:", one["staleness"]["max"] == len(histogram) - 1,
      "mean of it:", one["staleness"]["mean"] == stale / gradients)
print("messages as planned:", one["messages"] == one["messages_planned"])
if not one["mode"].startswith("backup"): print("messages", one["messages"], "dropped", one["dropped"])
if one["mode"] == "async": print("sum of all staleness:", stale, "and (n-1)(2N-n)/2 is", (3 - 1) * (2 * 30 - 3) // 2)
if one["mode"] == "ssp:1": print("at most (n-1)(2K+1):", one["staleness"]["max"] <= 2 * 3)
if one["mode"] == "backup:1": print("none is stale:", one["staleness"]["max"] == 0, "dropped at most one a step:", one["dropped"] <= 10)
PY
}
for mode in async ssp:1 backup:1; do
  "${job[@]}" --mode $mode >out 2>err || tail -n 3 err
  sentences err
  figures
  rm -r run
done
"${job[@]}" --mode async --slow 1:2,2:1.5 --set exchange.staleness_rate=staleness >out 2>err
sentences err | grep -E 'slow|longer|divided'
figures
rm -r run
# Two servers: each says what it holds, and the summary, too. Text for people.
"${job[@]:0:${#job[@]}-1}" --mode async --servers 2 --set exchange.staleness_rate=none >out 2>err
sentences err
grep -E '^mode|^sent' out | sed -E 's/staleness .* on average, at most [0-9]+/staleness S on average, at most M/'
python3 -c 'import json; print(json.dumps(json.load(open("run/summary.json"))["placement"], indent=1))'
ls run
head -n 1 run/schedule.jsonl
cut -d: -f1-2 run/schedule.jsonl | sort | uniq -c
