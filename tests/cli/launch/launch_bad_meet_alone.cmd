trireme launch -n 2 --meet a:1 -- true
