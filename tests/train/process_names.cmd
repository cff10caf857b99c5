folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
# A BLAS with threads makes the program start itself again, by /proc/self/exe: the system then calls it "exe".
ln -s "$(dirname "$(realpath "$(command -v trireme)")")/trireme-train" "$folder/exe"
config=$(trireme train --set data.kind=synthetic --set model.kind=mlp --steps 100000000 --workers 2 --print-config)
"$folder/exe" "$config" 2>"$folder/err" &
until grep -q "step 1 of" "$folder/err"; do sleep 0.05; done
for process in $! $(pgrep -P $!); do cat /proc/$process/comm; done
kill -INT $!
wait $!
exit 0
