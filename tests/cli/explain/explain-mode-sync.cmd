# Says what it says without --mode.
for mode in sync ssp:0 backup:0; do
  diff <(trireme explain parameter-server --workers 3 --servers 2 --parameters 10) \
    <(trireme explain parameter-server --workers 3 --servers 2 --parameters 10 --mode $mode) && echo same
done
diff <(trireme explain ring --workers 3 --parameters 10 --json) <(trireme explain ring --workers 3 --parameters 10 --json --mode sync) && echo same
