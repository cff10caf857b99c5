try() { trireme predict "$@" 2>&1; echo "status $?"; }
try --workers 8 --parameters 11e6 --latency '100 us' --per-batch '120 ms'
try --workers 8
try --workers 8 --parameters 11e6 --bandwidth 1 --latency '100 us' --per-batch '120 ms'
try --workers 8 --parameters 11e6 --bandwidth '1 Gbit/s' --latency 100 --per-batch '120 ms'
try --workers 8 --parameters 11.5 --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms'
try --workers 8 --parameters 11M --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms'
try --workers 0 --parameters 11e6 --bandwidth '1 Gbit/s' --latency '100 us' --per-batch '120 ms'
try ''
try --workers ''
try examples/planning/master_and_workers.toml --bandwidth '1 Gbit/s'
try examples/planning/master_and_workers.toml --max-workers 0
try examples/planning/master_and_workers.toml --max-workers 8 --sweep workers=1..4
