trireme optim --equation 1,2=3 --equation 1=3
