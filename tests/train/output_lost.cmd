# If standard error accepts nothing, only its output is lost; a full disk is a failure.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
job() { trireme train --set data.kind=synthetic --set model.kind=mlp --steps 5 --workers 2 --json --wire "$@"; }
for wire in shm threads; do
  job $wire 2>/dev/full | grep -c weights_sha256; echo "status ${PIPESTATUS[0]}"
  job $wire 2>&- | grep -c weights_sha256; echo "status ${PIPESTATUS[0]}"
  job $wire >/dev/full 2>"$folder/err"; echo "status $?"; tail -n 1 "$folder/err"
done
