folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cp examples/planning/sync_step.toml "$folder/cluster.toml"; cd "$folder" || exit
trireme train --print-config >job.toml
try() { trireme "$@" 2>&1; echo "status $?"; }
try train cluster.toml
try predict job.toml
try simulate job.toml
try predict cluster.toml --sweep latncy=1us..1ms
