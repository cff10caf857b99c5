# A run in each mode, whatever its order turns out to be, and its replay in one process: the same bits.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
digest() { sed -n 's/.*"weights_sha256": //p' "$1"; }
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[32]'
     --strategy parameter-server --workers 3 --steps 12)
i=0
compare() {
  local run="$folder/run$((++i))" replayed="$folder/replayed$i"
  "${job[@]}" "$@" --out "$run" >/dev/null 2>"$folder/err" || { echo "FAILED: $*"; tail -n 3 "$folder/err"; return; }
  trireme train "$run/config.toml" --replay "$run/schedule.jsonl" --json >"$replayed" 2>"$folder/err" ||
    { echo "NOT REPLAYED: $*"; tail -n 3 "$folder/err"; return; }
  [[ -n $(digest "$replayed") && $(digest "$run/summary.json") == $(digest "$replayed") ]] && echo "the same: $*" || echo "DIFFERENT: $*"
}
for mode in async ssp:1 backup:1; do
  compare --mode $mode --servers 1
  compare --mode $mode --servers 2 --set optimizer.kind=adam --seed 7
done
compare --mode async --servers 2 --set optimizer.kind=muon --wire threads
compare --mode ssp:2 --servers 2 --set optimizer.kind=muon --set optimizer.clip_norm=0.5
compare --mode backup:2 --servers 2 --set optimizer.kind=lamb --set schedule.kind=cosine
compare --mode async --servers 1 --wire tcp --set optimizer.clip_norm=0.5
compare --mode backup:1 --servers 2 --wire tcp --set optimizer.kind=adamw
compare --mode ssp:3 --servers 1 --wire threads --set schedule.kind=step --set schedule.every_steps=4
compare --mode async --servers 1 --set exchange.staleness_rate=staleness --slow 1:3
compare --mode async --servers 3 --set exchange.staleness_rate=none --set optimizer.kind=sgd --set data.batch=7
printf '[optimizer]\nkind = "muon"\n[[optimizer.group]]\nmatch = "*.bias"\nkind = "sgd"\nweight_decay = 0\n' >"$folder/groups.toml"
job=(trireme train "$folder/groups.toml" "${job[@]:2}")
compare --mode async --servers 2
compare --mode backup:1 --servers 1 --set schedule.kind=cosine --set schedule.warmup_steps=3
