trireme optim --equation 3=2 --svg none.svg
