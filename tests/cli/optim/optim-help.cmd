trireme optim --help
