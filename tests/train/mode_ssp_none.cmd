# ssp:0 and backup:0 wait for all, and have the bits of sync.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[32]'
     --strategy parameter-server --servers 2 --workers 3 --set optimizer.kind=adam --steps 30 --json)
for mode in sync ssp:0 backup:0; do
  "${job[@]}" --mode $mode 2>/dev/null | sed -n 's/.*"weights_sha256": //p'
done | sort | uniq -c | sed -E 's/[0-9a-f]{64}/DIGEST/'
