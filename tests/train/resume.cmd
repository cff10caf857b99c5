# The same bits as never having stopped: mid-epoch, with every strategy that has another way to hold the state.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
digest() { sed -n 's/.*"weights_sha256": //p'; }
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[32]'
     --set exchange.bucket_bytes=1000 --set optimizer.clip_norm=0.5 --set schedule.kind=cosine --set schedule.total_steps=30 --json)
i=0
compare() {
  local run="$folder/run$((++i))" full resumed
  full=$("${job[@]}" "$@" --steps 30 2>/dev/null | digest)
  "${job[@]}" "$@" --steps 17 --out "$run" >/dev/null 2>&1
  resumed=$(trireme train --resume "$run" --steps 30 --json 2>"$run/err" | digest)
  [[ -n $full && $full == "$resumed" ]] && echo "the same: $*" || { echo "DIFFERENT: $*"; cat "$run/err"; }
}
for strategy in all-to-all ring direct recursive-doubling halving-doubling tree hierarchical; do
  compare --workers 3 --strategy $strategy --set optimizer.kind=adam
done
for servers in 0 1 2; do compare --workers 3 --strategy parameter-server --servers $servers --set optimizer.kind=adam; done
compare --workers 3 --strategy parameter-server --servers 2 --set optimizer.kind=muon
compare --workers 2 --strategy ring --wire tcp
compare --workers 2 --strategy ring --wire threads
compare --workers 1
