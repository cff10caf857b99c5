trireme optim --gradient 3,2 --rule sgd
