err=$(mktemp); trap 'rm -f "$err"' EXIT
trireme train --set data.kind=synthetic --set model.kind=mlp --steps 100000000 --workers 2 --wire mpi >/dev/null 2>"$err" &
for _ in $(seq 600); do grep -q "step 1 of" "$err" && break; sleep 0.1; done
mpirun=$(pgrep -P $! mpirun)
nodes=$(pgrep -P "$mpirun")
kill -KILL "$mpirun"
wait $!
echo "status $?"
tail -n 1 "$err"
for node in $nodes; do grep -qs 'State:.[^ZX]' /proc/$node/status && echo "a node is left"; done
exit 0
