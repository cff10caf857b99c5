trireme optim --equation 1,0.5=1 --rule sgd,momentum,nesterov,adam,signsgd,steepest:l1,steepest:l2,steepest:linf,steepest:lp=3,epoch-adam,rescaled-sgd | sed -n 4,16p
