# The picture in docs/optimizers.md is what the program draws. If it should change, write it anew with this command.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
trireme optim --equation 1,0.5=1 --rule sgd,epoch-adam,rescaled-sgd,steepest:l1 --svg "$folder/optimizers.svg" >/dev/null
cmp "$folder/optimizers.svg" docs/optimizers.svg && echo "the same"
