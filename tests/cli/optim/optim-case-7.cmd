trireme optim --equation 1,0.1,0.01=1 --rule sgd,epoch-adam,rescaled-sgd
