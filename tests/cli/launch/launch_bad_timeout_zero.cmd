trireme launch -n 4 --timeout 0s -- true
