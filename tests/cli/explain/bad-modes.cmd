explain() { trireme explain "$@" 2>&1; echo "status $?"; }
explain parameter-server --workers 4 --parameters 10 --mode asinc
explain parameter-server --workers 4 --parameters 10 --mode ssp:-1
explain ring --workers 4 --parameters 10 --mode async
explain --operation broadcast --workers 4 --parameters 10 --mode async
explain parameter-server --workers 4 --parameters 10 --mode async --servers 0
explain parameter-server --workers 4 --parameters 10 --mode backup:4
explain parameter-server --workers 4 --parameters 10 --mode async --order A,B,D,C
explain --all --workers 4 --parameters 10 --mode async
explain parameter-server --parameters 10 --mode async
explain parameter-server --values examples/ring_by_hand/values.csv --mode async
explain parameter-server --values examples/ring_by_hand/values.csv --mode async --workers 4
explain parameter-server --values <(head -2 examples/ring_by_hand/values.csv) --weights examples/ring_by_hand/weights.csv --rate 0.1 --mode backup:1 --workers 4
