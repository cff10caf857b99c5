folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
try() { printf "$1" >job.toml; trireme train job.toml 2>&1; echo "status $?"; }
try '[optimizer]\nkind = "adem"\n'
try '[optimizer]\nkind = "steepest:lp=1"\n'
try '[optimizer]\nkind = "steepest:lp=two"\n'
try '[optimizer]\nkind = 3\n'
try '[optimizer]\nkind = "lars"\ntrust = -1\n'
try '[optimizer]\ngroup = "*.bias"\n'
try '[optimizer.group]\nmatch = "*.bias"\n'
try '[[optimizer.group]]\nrate = 0.1\n'
try '[[optimizer.group]]\nmach = "*.bias"\n'
try '[[optimizer.group]]\nmatch = "*.bias"\nkind = "adem"\n'
try '[[optimizer.group]]\nmatch = "*.bias"\nrate = -1\n'
try '[optimizer]\nrate = 0\n[[optimizer.group]]\nmatch = "*.bias"\nrate = 1\n'
trireme train --set optimizer.group.match=x 2>&1
