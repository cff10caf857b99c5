trireme launch -n 0 -- true
