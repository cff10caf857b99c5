trireme optim --gradient 3,-1,2 --norm lp=1
