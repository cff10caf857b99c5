# Reports in which step it was; if a node printed nothing, the message does not refer to its output.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme train --set data.kind=synthetic --set model.kind=mlp --workers 2 --steps 1000000 >out 2>&1 & training=$!
until grep -q ': step 50 of' out; do sleep 0.05; done
read -r _ second _ < /proc/$training/task/$training/children; kill -KILL "$second"
wait $training; echo "status $?"
tail -n 2 out | sed -E 's/process [0-9]+/process N/g; s/in step [0-9,]+ of training \(epoch [0-9]+\)/in step N of training (epoch N)/; s/(\(Killed\);).*; most/\1 ...; most/'
