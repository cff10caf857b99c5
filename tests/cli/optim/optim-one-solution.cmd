trireme optim --equation 2,1=3 --equation 1,-1=0 --rule sgd,signsgd | head -8
