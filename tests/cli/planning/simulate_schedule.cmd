folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
for mode in async ssp:1 backup:1; do
  trireme simulate examples/planning/cluster_16x10GbE.toml --set job.workers=3 --set job.strategy=parameter-server --set job.mode=$mode \
    --set server.count=2 --set job.rounds=2 --set compute.spread=lognormal --set compute.deviation=0.5 --json --schedule "$folder/s.jsonl" |
    python3 -c "import json, sys; d = json.load(sys.stdin); print(d['staleness'], d['dropped'])"
  cat "$folder/s.jsonl"
done
cd "$folder" && trireme simulate --workers 2 --parameters 10 --bandwidth "1 Gbit/s" --latency 1ms --per-batch 1s --strategy parameter-server \
  --set job.mode=async --schedule s.jsonl --trace t.json 2>&1 >/dev/null
