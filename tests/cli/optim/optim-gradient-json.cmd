trireme optim --gradient -9,16,-25 --alpha 2 --norm linf,l1,lp=3 --json
