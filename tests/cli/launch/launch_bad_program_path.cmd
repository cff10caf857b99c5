trireme launch -n 4 -- ./no-such-program
