trireme launch -n 4 -- ./src
