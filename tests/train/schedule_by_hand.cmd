# Schedules that nobody has run: written by hand, and by the simulator.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
root=$PWD; cd "$folder" || exit
digest() { sed -n 's/.*"weights_sha256": //p'; }
job=(trireme train --set data.kind=synthetic --set data.train_samples=1000 --set model.kind=mlp --set 'model.hidden=[8]' --set train.threads=1)
# Two workers begin together, and worker 1 is the faster one.
cat >hand.jsonl <<'LINES'
{"worker":1,"read":0}
{"worker":1,"read":1}
{"worker":0,"read":0}
LINES
"${job[@]}" --replay hand.jsonl --json 2>err | grep -A 20 '"mode"' | grep -v -E 'weights|checkpoint'
grep replaying err
# A training one after the other is one of one worker without servers, if the rate is not divided.
for k in 0 1 2 3; do echo "{\"worker\":0,\"read\":$k}"; done >alone.jsonl
{
  "${job[@]}" --replay alone.jsonl --json 2>/dev/null | digest
  "${job[@]}" --workers 1 --steps 4 --json 2>/dev/null | digest
} | uniq | wc -l
# In a round the gradients of backup workers are averaged: all of them are a synchronous step.
cat >rounds.jsonl <<'LINES'
{"schedule":1,"mode":"backup:1","workers":2}
{"worker":0,"gradient":0,"read":0,"version":1}
{"worker":1,"gradient":1,"read":0,"version":1}
{"worker":0,"gradient":2,"read":1,"version":2}
{"worker":1,"gradient":3,"read":1,"version":2}
LINES
{
  "${job[@]}" --replay rounds.jsonl --json 2>/dev/null | digest
  "${job[@]}" --workers 2 --strategy direct --steps 2 --json 2>/dev/null | digest
} | uniq | wc -l
# Two servers, and a gradient that one needs before the other can go on.
cat >never.jsonl <<'LINES'
{"schedule":1,"workers":2,"servers":2}
{"server":0,"worker":0,"gradient":0,"read":0}
{"server":0,"worker":1,"gradient":1,"read":1}
{"server":1,"worker":1,"gradient":1,"read":0}
{"server":1,"worker":0,"gradient":0,"read":1}
LINES
"${job[@]}" --replay never.jsonl 2>err; echo "status $?"
grep gradient err
# A described cluster, trained through.
trireme simulate "$root/examples/planning/async_time.toml" --schedule time.jsonl | head -n 2
"${job[@]}" --replay time.jsonl --set optimizer.kind=sgd --json 2>err | grep -A 12 '"mode"' | grep -v -E 'weights|checkpoint'
grep -E 'replaying|bound' err | sed -E 's/[0-9]\.[0-9]+/N/g'
