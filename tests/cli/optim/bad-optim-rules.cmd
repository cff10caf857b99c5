trireme optim --equation 3=2 --rule sgd,sgd,sgd,sgd,sgd,sgd,sgd,sgd,sgd,sgd,sgd,sgd,sgd
