trireme launch -n 2 --ssh ssh -- true
