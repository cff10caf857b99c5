for mode in async ssp:1 backup:2; do
  trireme simulate examples/planning/cluster_16x10GbE.toml --set job.strategy=parameter-server --set job.mode=$mode --set job.rounds=4 \
    --set compute.spread=lognormal --set compute.deviation=0.3 --json |
    python3 -c "import json, sys; d = json.load(sys.stdin); print(d[\"total_s\"], d[\"messages\"], d[\"staleness\"], d[\"dropped\"], d[\"bound_eta_delta\"], len(d.get(\"updates\") or d[\"gradients\"]))"
done
