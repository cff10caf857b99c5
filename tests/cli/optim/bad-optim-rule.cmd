trireme optim --equation 1,2=3 --rule sgd,sdg
