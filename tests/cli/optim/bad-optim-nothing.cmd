trireme optim
