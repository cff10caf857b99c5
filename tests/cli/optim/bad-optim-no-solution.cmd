trireme optim --equation 1,1=1 --equation 1,1=3
