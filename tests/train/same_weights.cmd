# Whoever starts the nodes, and however they are connected.
digest() { "$@" 2>/dev/null | sed -n 's/.*"weights_sha256": //p'; }
job=(trireme train --set data.kind=synthetic --set model.kind=mlp --set model.hidden=[32] --steps 30 --json)
{
  digest "${job[@]}" --workers 3
  digest "${job[@]}" --workers 3 --wire threads --strategy ring
  digest "${job[@]}" --workers 3 --servers 2 --strategy parameter-server --wire tcp
  digest trireme launch -n 3 -- "${job[@]}" --strategy all-to-all
  digest trireme launch -n 4 --wire tcp -- "${job[@]}" --servers 1 --strategy parameter-server
} | sort | uniq -c | sed -E 's/[0-9a-f]{64}/DIGEST/'
