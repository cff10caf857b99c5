# Which parameters have which rule is said at the start, and a group that matches none is refused.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
train() { trireme train job.toml --set data.kind=synthetic --set model.kind=mlp --steps 2 --workers 2 "$@" 2>&1 | grep -E 'group|updates|matches|parameters in'; echo "status ${PIPESTATUS[0]}"; }
cat >job.toml <<'END'
[optimizer]
kind = "muon"
[[optimizer.group]]
match = "*.bias"
weight_decay = 0
[[optimizer.group]]
match = "5.*"
kind = "sgd"
END
train
# With more servers than the tensors are enough for, and the norm of all gradients, which takes an exchange of its own.
train --strategy parameter-server --servers 3 --set optimizer.clip_norm=1
# What is repeated has the same groups.
train --out run >first
trireme train run/config.toml --json 2>/dev/null | grep -o '"weights_sha256": .*' >again
grep -o '"weights_sha256": .*' run/summary.json | cmp - again && echo "the same weights"
printf '[[optimizer.group]]\nmatch = "bias"\n' >job.toml
train
train --set model.hidden='[9, 8, 7, 6, 5, 4]'
