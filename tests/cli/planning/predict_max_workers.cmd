# No more workers than one batch each per epoch, unless the user says so; and always the resulting batch.
trireme predict examples/planning/master_and_workers.toml | tail -1
trireme predict examples/planning/master_and_workers.toml --max-workers 20 | tail -1
trireme predict examples/planning/master_and_workers.toml --max-workers 500 | tail -1
trireme predict examples/planning/cluster_16x10GbE.toml --set job.rounds=0 --set job.samples=1_281_167 --batch 64 --strategy all-to-all | tail -2
# With fixed rounds more workers do more work.
trireme predict examples/planning/cluster_16x10GbE.toml --batch 64 --strategy ring --max-workers 100 | tail -2
trireme predict examples/planning/federated.toml --max-workers 100 2>&1 | head -1
trireme predict examples/planning/one_host_8_cores.toml --workers 128 --max-workers 12 2>&1 >/dev/null
trireme predict examples/planning/master_and_workers.toml --max-workers 20 --json | grep workers_
