# A worker or a server that dies is named, and the last line says where to go on.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
kill_child() {  # NUMBER flags…
  local number=$1; shift; rm -rf out run
  trireme train --set data.kind=synthetic --set model.kind=mlp --set 'model.hidden=[8]' --workers 2 --strategy parameter-server \
    --servers 1 --timeout 20s --steps 100000000 --set run.checkpoint_every=20 --out run "$@" >out 2>&1 & training=$!
  until compgen -G 'run/checkpoints/step-*/DONE' >/dev/null; do sleep 0.05; done
  read -r -a children < /proc/$training/task/$training/children; kill -KILL "${children[$number]}"
  wait $training; echo "status $?"
  tail -n 2 out | sed -E 's/process [0-9]+/process N/g; s/in step [0-9,]+ of training \(epoch [0-9]+\): //; s/(\(Killed\);).*/\1 …/; s/step-[0-9]+/step-N/'
}
kill_child 1 --mode async
kill_child 2 --mode async
kill_child 1 --mode ssp:1
kill_child 1 --mode backup:1
