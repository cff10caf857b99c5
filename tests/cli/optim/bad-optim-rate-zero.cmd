trireme optim --equation 1,2=3 --rate 0
