trireme launch -n 1025 -- true
