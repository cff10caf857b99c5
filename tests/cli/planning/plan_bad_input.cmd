folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
job='[job]\nworkers = 4\nrounds = 10\n'
net='[model]\nparameters = 1000\n[network]\nlatency = "25 us"\nbandwidth = "10 Gbit/s"\n'
try() { printf "$1" >job.toml; for command in predict simulate; do trireme $command job.toml 2>&1; echo "$command: status $?"; done; }
try "$job"'[model]\nparameters = 1000\n[network]\nlatency = 25\n'
try "$job"'[model]\nparameters = 1000\n[network]\nbandwidth = "-1 Gbit/s"\n'
try "$job"'[model]\nparameters = 1000\n[network]\nbandwidth = "0 B/s"\n'
try '[job]\nworkers = 0\nrounds = 1\n[compute]\nper_batch = "1 s"\n'
try "$job$net"'[time]\ncompute = "1 s"\n'
try '[job]\nworkers = 4\nstrategy = "parameter-server"\nmode = "async"\n[compute]\nper_update = "1 s"\n'
try "$job$net"'[netwrok]\nlatency = "1 us"\n'
try "$job$net"'\nlatancy = "1 us"\n'
try "$job"'[network]\nlatency = "1 us\n'
trireme predict missing.toml 2>&1; echo "status $?"
trireme predict 2>&1; echo "status $?"
printf "$job$net" >job.toml
trireme predict job.toml --csv a.csv 2>&1; echo "status $?"
trireme simulate job.toml --sweep workers=1..4 2>&1; echo "status $?"
trireme predict job.toml --sweep workers 2>&1; echo "status $?"
trireme predict job.toml --sweep workers=9..1 2>&1; echo "status $?"
trireme predict job.toml --sweep network.latency=1us..1GB 2>&1; echo "status $?"
trireme simulate job.toml --trace /nowhere/trace.json 2>&1; echo "status $?"
trireme simulate job.toml --set job.strategy=all-to-all --set job.workers=100000 --set compute.spread=exponential \
  --set compute.per_batch=1s 2>&1; echo "status $?"
trireme simulate job.toml --set job.strategy=parameter-server --set job.mode=async --set job.rounds=0 --set 'job.until=100 s' \
  --set 'compute.per_update=1 ns' --set 'network.latency=0 s' 2>&1; echo "status $?"
