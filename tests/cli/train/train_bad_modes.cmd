folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
try() { trireme train --strategy parameter-server "$@" 2>&1; echo "status $?"; }
try --mode asinc
try --mode ssp
try --mode ssp:-1
try --mode ssp:two
try --mode backup:1.5
try --mode ''
try --mode backup:4
try --mode backup:5 --workers 4
try --mode async --servers 0
try --mode ssp:3 --servers 0
trireme train --strategy ring --mode async 2>&1; echo "status $?"
trireme train --mode backup:1 2>&1; echo "status $?"
try --mode async --set exchange.staleness_rate=halved
try --mode async --slow 3:0.5
try --mode async --slow 4:2
try --mode async --slow 3
try --mode async --slow three:2
try --mode async --slow 3:fast
try --mode async --slow -1:2
try --mode async --slow 3:2,3:3
printf '[exchange]\nstrategy = "parameter-server"\nmode = "eventually"\n' >job.toml
trireme train job.toml 2>&1; echo "status $?"
printf '[exchange]\nstrategy = "parameter-server"\nmode = 3\n' >job.toml
trireme train job.toml 2>&1; echo "status $?"
# What has no effect is said, and is no error.
try --mode backup:1 --set exchange.staleness_rate=none --print-config | grep "^trireme"
