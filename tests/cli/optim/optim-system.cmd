folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
printf 'x,y,z,right\n1,1,0,2\n0,1,1,2\n' >"$folder/a.csv"
trireme optim --system "$folder/a.csv" --rule sgd,steepest:linf
trireme optim --equation 1,1,0=2 --equation 0,1,1=2 --rule sgd,steepest:linf | sed -n 6,7p
