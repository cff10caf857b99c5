trireme optim --gradient 3,,2
