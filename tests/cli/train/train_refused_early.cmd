# Beside a trireme-train that reports when it is started, as the real one would load libtorch.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cp "$(readlink -f "$(command -v trireme)")" "$folder/trireme"
printf '#!/bin/sh\necho "trireme-train is started"\n' >"$folder/trireme-train"; chmod +x "$folder/trireme-train"
train() { "$folder/trireme" train "$@" 2>&1 | sed "s#$folder#FOLDER#g; s/process $$/process PID/"; echo "status ${PIPESTATUS[0]}"; }
# A folder without write permission.
train --set data.kind=synthetic --out /proc/run
train --set data.kind=synthetic --out "$folder/trireme/run"
# Wrong data: truncated, plain and compressed; then of another size than the model needs.
mkdir "$folder/data"
data() { printf '\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\2'"$1" >"$folder/data/$2-images-idx3-ubyte"; printf '\0\0\10\1\0\0\0\2\0\1' >"$folder/data/$2-labels-idx1-ubyte"; }
data abcdefgh t10k; data abcde train
train --set data.path="$folder/data"
data abcdefgh train; gzip "$folder/data/train-images-idx3-ubyte"; truncate -s -5 "$folder/data/train-images-idx3-ubyte.gz"
train --set data.path="$folder/data"
data abcdefgh train
train --set data.path="$folder/data" --set data.batch=1
train --set data.path="$folder/data" --set data.batch=1 --set model.kind=mlp --workers 2
# A folder that another job uses.
mkdir "$folder/run"
(
  exec 9>"$folder/run/.lock"; flock 9; echo "$$ $(uname -n)" >&9
  train --set data.kind=synthetic --out "$folder/run" 9>&-
)
train --set data.kind=synthetic --out "$folder/run"
