trireme optim --equation 1e99=3
