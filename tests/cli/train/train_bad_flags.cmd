try() { trireme train "$@" 2>&1; echo "status $?"; }
try --workers 0
try --workers 2000
try --servers 2
try --strategy rign
try --wire shmem
try --epochs 1.5
try --timeout soon
try --set optimizer.rate=1e400
try --set epochs
try --set train.epoch=3
try --set train.epochs=many
try --set schedule.kind=step
try --out ''
try --print-config --json
try --sets train.epochs=3
TRIREME_TIMEOUT=soon try
