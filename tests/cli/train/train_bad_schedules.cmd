folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
replay() { printf "$1" >s.jsonl; shift; trireme train --set data.kind=synthetic --set model.kind=mlp --replay s.jsonl "$@" 2>&1; echo "status $?"; }
first='{"schedule":1,"mode":"async","workers":2,"servers":1}\n'
# A version that is not yet written, an unknown worker, an unknown server.
replay "$first"'{"worker":0,"read":0}\n{"worker":1,"read":2}\n'
replay "$first"'{"worker":0,"read":0}\n{"worker":2,"read":0}\n'
replay "$first"'{"worker":0,"read":0}\n{"server":1,"worker":1,"read":0}\n'
# Twice, backwards, with gaps, of another mode.
replay "$first"'{"worker":0,"gradient":0,"read":0}\n{"worker":0,"gradient":0,"read":1}\n'
replay "$first"'{"worker":0,"read":0}\n{"worker":1,"read":1}\n{"worker":1,"read":0}\n'
replay "$first"'{"worker":0,"read":0,"version":2}\n'
replay "$first"'{"worker":0,"read":0,"dropped":true}\n'
# The second part of a training.
replay "$first"'{"worker":0,"gradient":40,"read":0}\n'
replay '{"schedule":1,"mode":"eventually","workers":2}\n{"worker":0,"read":0}\n'
replay '{"schedule":2,"workers":2}\n{"worker":0,"read":0}\n'
replay '{"worker":0,"reed":0}\n'
replay 'worker 0 reads 0\n'
replay ''
# No such file; and what contradicts it.
trireme train --replay nowhere.jsonl 2>&1; echo "status $?"
trireme train --replay . 2>&1; echo "status $?"
trireme train --replay '' 2>&1; echo "status $?"
good='{"worker":0,"read":0}\n{"worker":1,"read":0}\n'
replay "$first$good" --workers 3
replay "$first$good" --servers 2
replay "$first$good" --mode ssp:2
replay "$first$good" --strategy ring
