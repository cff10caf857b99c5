trireme predict --workers 8 --parameters 11e6 --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms' | head -14
trireme predict --workers 8 --parameters 11e6 --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms' --batch 32 --json | grep -E '^"(total_s|speedup|efficiency|samples_per_s|one_worker_s|slower)'
trireme predict --workers 8 --parameters 11e6 --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms' --sweep workers=1..8
trireme predict --workers 8 --parameters 11e6 --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms' --print-config | grep -E '^(workers|rounds|parameters|bandwidth|latency|per_batch)'
# Flags win over --set, and --set over the file.
trireme predict examples/planning/cluster_16x10GbE.toml --workers 4 --set job.workers=8 --set job.batch=64 | head -1
trireme simulate --workers 4 --strategy direct --parameters 1e6 --bandwidth '10 Gbit/s' --latency '25 us' --per-batch '1 ms' --set job.rounds=3 | head -2
