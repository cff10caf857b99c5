# One document with what was reached, also where nodes are threads.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
for wire in shm threads; do
  : >err  # here, or the loop below might read the words of the job before
  trireme train --set data.kind=synthetic --set model.kind=mlp --steps 100000000 --workers 2 --wire $wire --json >out 2>>err &
  until grep -q "step 50 of" err; do sleep 0.05; done
  kill -TERM $!; wait $!; echo "status $?"
  sed -E 's/"(steps|samples_per_s|seconds|loss)": [0-9.e+-]+/"\1": N/' out
  tail -n 1 err
done
