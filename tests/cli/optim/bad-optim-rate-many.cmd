trireme optim --equation 1,2=3 --equation 2,1=3 --rule steepest:linf --rate 10
