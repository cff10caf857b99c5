err=$(mktemp); trap 'rm -f "$err"' EXIT
mpirun.openmpi -n 2 "$(command -v trireme)" train --set data.kind=synthetic --set model.kind=mlp --steps 100000000 --wire shm \
  --timeout 3s >/dev/null 2>"$err" &
for _ in $(seq 600); do grep -q "step 1 of" "$err" && break; sleep 0.1; done
stopped=$(pgrep -P $! | tail -n 1)
kill -STOP "$stopped"
wait $!
echo "status $?"
kill -KILL "$stopped" 2>/dev/null
grep -o "it is stopped" "$err" | head -n 1
