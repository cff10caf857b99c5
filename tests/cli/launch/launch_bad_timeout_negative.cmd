trireme launch -n 4 --timeout -5s -- true
