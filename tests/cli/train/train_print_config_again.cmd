# The output is a file that gives the same configuration.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme train --set data.kind=synthetic --set 'run.out=a "b"' --workers 2 --print-config >job.toml
trireme train job.toml --print-config | sed -E 's/ +# .*//' >again
sed -E 's/ +# .*//' job.toml | diff - again && grep -E 'kind|out|workers' again
