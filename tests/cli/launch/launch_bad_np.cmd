trireme launch -np 2 -- true
