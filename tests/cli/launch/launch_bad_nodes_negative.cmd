trireme launch -n -1 -- true
