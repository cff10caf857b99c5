trireme launch -n 4 --timout 3s -- true
