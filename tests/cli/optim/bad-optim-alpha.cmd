trireme optim --gradient 3,-1,2 --alpha 0
