folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
trireme predict examples/planning/cluster_16x10GbE.toml --sweep "network.latency=1 us..10 ms" --csv "$folder/a.csv" --svg "$folder/a.svg" | head -12
head -4 "$folder/a.csv"
head -c 300 "$folder/a.svg"; echo
grep -c polyline "$folder/a.svg"
grep -o "[^>]* log scale" "$folder/a.svg"
