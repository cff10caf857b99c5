# The strongest source wins: flags, --set, the file, the environment.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
cat >job.toml <<'END'
[train]
seed = 2
epochs = 2
[exchange]
timeout = "2 min"
END
TRIREME_TIMEOUT=9 trireme train --set train.epochs=3 job.toml --set optimizer.kind=adam --epochs 4 --print-config |
  grep -v '# default'
