folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
job=examples/planning/cluster_16x10GbE.toml
sweep() { trireme predict $job --sweep workers=1..1024 "$@" 2>&1; echo "status $?"; }
trace() { trireme simulate $job --set job.workers=2 --set job.rounds=1 --trace "$@" 2>&1; echo "status $?"; }
sweep --csv /dev/full
sweep --svg /dev/full
trace /dev/full
# Files of at most 1 kB: the old ones stay, and no temporary files are left.
for name in a.csv a.svg a.json; do echo old >"$folder/$name"; done
(
  ulimit -f 1
  sweep --csv "$folder/a.csv"
  sweep --svg "$folder/a.svg"
  trace "$folder/a.json"
) | sed "s#$folder#FOLDER#g"
cat "$folder"/a.*
ls "$folder"
