# A run that was cut in two, or stopped by a signal, and goes on: one schedule, whose replay has the bits of the resumed run.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
digest() { sed -n 's/.*"weights_sha256": //p' "$1"; }
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[32]'
     --strategy parameter-server --workers 3)
i=0
replays() {  # FOLDER words…
  local run=$1; shift
  trireme train "$run/config.toml" --replay "$run/schedule.jsonl" --json >"$folder/replayed" 2>"$folder/err" || tail -n 3 "$folder/err"
  [[ -n $(digest "$folder/replayed") && $(digest "$run/summary.json") == $(digest "$folder/replayed") ]] && echo "the same: $*" || echo "DIFFERENT: $*"
}
compare() {
  local run="$folder/run$((++i))"
  "${job[@]}" --steps 20 --out "$run" "$@" >/dev/null 2>"$folder/err" || tail -n 3 "$folder/err"
  trireme train --resume "$run" --steps 40 >/dev/null 2>"$folder/err" || tail -n 3 "$folder/err"
  replays "$run" "$@"
}
for mode in async ssp:1 backup:1; do
  compare --mode $mode --servers 1 --set optimizer.kind=adam
  compare --mode $mode --servers 2
done
compare --mode async --servers 2 --set optimizer.kind=muon --set schedule.kind=cosine --set schedule.total_steps=40
compare --mode ssp:2 --servers 1 --wire tcp --set run.checkpoint_every=7
compare --mode backup:1 --servers 2 --wire threads --set run.checkpoint_every=7
# After SIGKILL: what was applied up to the newest checkpoint is on the disk.
run="$folder/killed"
"${job[@]}" --mode async --servers 2 --steps 100000000 --set run.checkpoint_every=10 --out "$run" >/dev/null 2>&1 & training=$!
until compgen -G "$run/checkpoints/step-*/DONE" >/dev/null; do sleep 0.05; done
read -r -a children < /proc/$training/task/$training/children; kill -KILL "${children[1]}"
wait $training
newest=$(trireme train --resume "$run" --steps 1 2>&1 | sed -nE 's/.*after ([0-9,]+) steps.*/\1/p')
trireme train --resume "$run" --steps $((${newest//,/} + 10)) >/dev/null 2>"$folder/err" || tail -n 3 "$folder/err"
replays "$run" killed
# What was trained in another mode is in no schedule: then there is no replay.
run="$folder/changed"
"${job[@]}" --steps 10 --out "$run" >/dev/null 2>&1
trireme train --resume "$run" --mode async --steps 20 >/dev/null 2>&1
trireme train "$run/config.toml" --replay "$run/schedule.jsonl" 2>&1 | sed -E "s#$run#RUN#; s/gradient [0-9]+/gradient N/"
