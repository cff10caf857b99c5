# With every strategy of one order of addition, any launcher and any wire; with clipped gradients and smaller
# last batches.
digest() { "$@" 2>/dev/null | sed -n 's/.*"weights_sha256": //p'; }
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[32]'
     --set exchange.bucket_bytes=1000 --set optimizer.clip_norm=0.5 --steps 30 --json)
server=(--strategy parameter-server)
{
  digest "${job[@]}" --workers 3
  digest "${job[@]}" --workers 3 --strategy direct
  digest "${job[@]}" --workers 3 "${server[@]}"
  digest "${job[@]}" --workers 3 "${server[@]}" --servers 1
  digest "${job[@]}" --workers 3 --strategy ring --wire threads
  digest "${job[@]}" --workers 3 "${server[@]}" --servers 2 --wire threads
  digest "${job[@]}" --workers 3 "${server[@]}" --servers 2 --wire tcp
  digest "${job[@]}" --workers 3 --strategy ring --wire mpi
  digest trireme launch -n 3 -- "${job[@]}" --strategy all-to-all
  digest trireme launch -n 4 --wire tcp -- "${job[@]}" "${server[@]}" --servers 1
} | sort | uniq -c | sed -E 's/[0-9a-f]{64}/DIGEST/'
