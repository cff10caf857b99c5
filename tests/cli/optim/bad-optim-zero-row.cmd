trireme optim --equation 1,0.1=1 --equation 0,0=1
