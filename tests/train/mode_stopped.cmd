# Ctrl-C ends a run in which workers do not wait for all others in order: it is saved, goes on, and can be replayed.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
digest() { sed -n 's/.*"weights_sha256": //p' "$1"; }
job=(trireme train --set data.kind=synthetic --set model.kind=mlp --set 'model.hidden=[8]' --workers 2
     --strategy parameter-server --steps 100000000)
for mode in async ssp:1 backup:1; do
  run="$folder/$mode"
  rm -f "$folder/err"
  "${job[@]}" --mode $mode --out "$run" >"$folder/out" 2>"$folder/err" &
  until grep -qs "step 1 of" "$folder/err"; do sleep 0.05; done
  kill -INT $!; wait $!; echo "$mode: status $?"
  tail -n 2 "$folder/err" | sed "s#$run#RUN#g; s/step-[0-9]*/step-N/"
  done=$(ls "$run/checkpoints"); done=${done#step-}
  trireme train --resume "$run" --steps $((done + 5)) 2>&1 | grep -E 'going on|^checkpoint' | sed "s#$run#RUN#g; s/step-$done/step-N/; s/step-$((done + 5))/step-(N + 5)/; s/after [0-9,]* steps/after N steps/"
  trireme train "$run/config.toml" --replay "$run/schedule.jsonl" --json >"$folder/replayed" 2>"$folder/err" || tail -n 2 "$folder/err"
  [[ -n $(digest "$folder/replayed") && $(digest "$run/summary.json") == $(digest "$folder/replayed") ]] && echo "the replay has the same weights"
done
