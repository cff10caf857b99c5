folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
trireme simulate examples/planning/cluster_16x10GbE.toml --set job.workers=2 --set job.rounds=1 --trace "$folder/trace.json" --json >/dev/null &&
  python3 -m json.tool --compact "$folder/trace.json" | head -c 100000 | tr "}" "\n" | grep -E "send|receive|compute" | head -20
