# Interrupted at the second size: the row of the first is there.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
for wire in shm threads tcp; do
  rm -f err
  trireme bench allreduce --workers 2 --wire $wire --strategy ring >out 2>err &
  until grep -qs '(2 of' err; do sleep 0.1; done
  kill -INT $!
  wait $!
  echo "status $?, $(tail -n 1 err)"
  head -n 3 out | sed -E 's/[0-9.]+ +[0-9.]+ +[0-9.]+ +/… /; s/ +/ /g; s/^ //'
done
