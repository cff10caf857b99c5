trireme optim --gradient 1e60,1
