trireme launch -n 4 --timeout soon -- true
