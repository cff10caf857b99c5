trireme optim --gradient 3,-1,2 --norm l3
