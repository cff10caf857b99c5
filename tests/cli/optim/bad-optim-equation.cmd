trireme optim --equation 1,x=3
