trireme optim --gradient 3,-1,2 --alpha 2 --norm l2,linf,l1
