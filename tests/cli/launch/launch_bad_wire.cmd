trireme launch -n 2 --wire tpc -- true
