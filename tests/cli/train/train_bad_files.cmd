folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
try() { printf "$1" >job.toml; trireme train job.toml 2>&1; echo "status $?"; }
try '[train]\nepoch = 3\n'
try '\n[trian]\nepochs = 3\n'
try 'epochs = 3\n'
try '[train]\n\nepochs = "3"\n'
try '[train]\nepochs = 3.0\n'
try '[data]\nbatch = 0\n'
try '[model]\nhidden = [512, "256"]\n'
try '[model]\nkind = "cmm"\n'
try '[train]\nepochs =\n'
try '[exchange]\ntimeout = "soon"\n'
trireme train missing.toml 2>&1
trireme train . 2>&1
trireme train '' 2>&1
