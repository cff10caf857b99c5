trireme optim --equation 1,1=1 --equation 1,1=3 --rule sgd,epoch-adam --least-squares | head -8
