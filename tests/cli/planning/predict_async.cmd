cd examples/planning
trireme predict async_time.toml
trireme predict async_time.toml --sweep workers=1..3
trireme predict async_time.toml --set 'job.until=5000000 s' --set 'compute.per_update=1 us'
