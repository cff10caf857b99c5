err=$(mktemp); trap 'rm -f "$err"' EXIT
trireme train --set data.kind=synthetic --set model.kind=mlp --steps 100000000 --workers 2 2>"$err" &
until grep -q "step 1 of" "$err"; do sleep 0.05; done
kill -INT $!
wait $!
status=$?
tail -n 1 "$err"
exit $status
