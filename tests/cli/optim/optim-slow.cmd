trireme optim --equation 1,0.5=1 --rule sgd --rate 1e-9 | head -8
