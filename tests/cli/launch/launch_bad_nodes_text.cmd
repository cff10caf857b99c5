trireme launch -n abc -- true
