trireme optim --equation 3=2 --alpha 1
