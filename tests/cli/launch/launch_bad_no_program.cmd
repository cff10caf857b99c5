trireme launch -n 4
