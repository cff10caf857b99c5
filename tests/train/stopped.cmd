# Ctrl-C and SIGTERM end a run with a folder in order: what was learnt is saved, and goes on.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
job=(trireme train --set data.kind=synthetic --set model.kind=mlp --set 'model.hidden=[8]' --workers 2 --steps 100000000)
stop() {  # SIGNAL flags…
  local signal=$1 run="$folder/$1$2$3"; shift
  rm -f "$folder/err"  # else the lines of the job before are read until this one has begun
  "${job[@]}" "$@" --out "$run" >"$folder/out" 2>"$folder/err" &
  until grep -qs "step 1 of" "$folder/err"; do sleep 0.05; done
  kill -"$signal" $!
  wait $!
  echo "status $?"
  tail -n 2 "$folder/err" | sed "s#$run#RUN#g; s/step-[0-9]*/step-N/"
  ls "$run/checkpoints" | sed 's/step-[0-9]*/step-N/'
  trireme train --resume "$run" --steps 1 2>&1 | grep -c 'nothing is left'
}
stop INT
stop TERM --strategy parameter-server
stop TERM --wire threads
stop INT --json | grep -v step-N
sed -n 's/.*"checkpoint": //p' "$folder/out" | sed "s#$folder#FOLDER#; s/step-[0-9]*/step-N/"
# Weights alone.
rm -f "$folder/err"
"${job[@]}" --save "$folder/w.safetensors" 2>"$folder/err" &
until grep -qs "step 1 of" "$folder/err"; do sleep 0.05; done
kill -INT $!; wait $!
echo "status $?"
trireme train --set data.kind=synthetic --set model.kind=mlp --set 'model.hidden=[8]' --epochs 0 --init "$folder/w.safetensors" 2>&1 | grep -c 'test accuracy'
