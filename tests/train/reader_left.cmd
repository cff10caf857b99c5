# Where nobody reads the result any more the training ends, unless --out keeps it.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
job() { timeout 60 trireme train --set data.kind=synthetic --set model.kind=mlp --workers 2 --json "$@"; }
for wire in shm threads; do
  job --steps 100000000 --wire $wire 2>&1 | grep -m 1 -o 'step 1 of'; echo "status ${PIPESTATUS[0]}"
done
# From here on a pipe that nobody reads.
mkfifo pipe; exec 3<>pipe 4>pipe 3>&-
job --steps 100000000 2>err >&4; echo "status $?"; grep nobody err; tail -n 1 err
job --steps 5 --out run 2>err >&4; echo "status $?"; grep nobody err; grep -c '"steps": 5' run/summary.json
