# Where checkpoints cannot be written (here because of a limit on the size of files) a run goes on, says it once, and
# fails at its end; the older checkpoint stays.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
say() { sed "s#$folder#FOLDER#g"; }
job=(trireme train --set data.kind=synthetic --set model.kind=mlp --set 'model.hidden=[256]' --workers 2 --wire threads)
"${job[@]}" --steps 5 --out "$folder/a" >/dev/null 2>&1
(ulimit -f 16; trireme train --resume "$folder/a" --steps 20 --set run.checkpoint_every=5 2>&1 >/dev/null; echo "status $?") | say |
  grep -E 'goes on|first failure: rank 0: cannot|newest|status' | grep -v 'rank 1'
ls "$folder/a/checkpoints"
trireme train --resume "$folder/a" --steps 20 2>/dev/null | tail -n 1 | say
