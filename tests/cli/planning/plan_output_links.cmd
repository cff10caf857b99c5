folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
sweep() { trireme predict examples/planning/cluster_16x10GbE.toml --sweep workers=1..2 "$@" 2>&1; echo "status $?"; }
echo precious >"$folder/precious"
ln -s precious "$folder/a.csv"
sweep --csv "$folder/a.csv" | sed "s#$folder#FOLDER#g"
cat "$folder/precious"
# Names of streams are not files: the table comes before the text.
sweep --csv /dev/stdout >"$folder/out"
head -1 "$folder/out"
sweep --csv >(sed 's/^/pipe: /' | head -1) >/dev/null
wait $!
