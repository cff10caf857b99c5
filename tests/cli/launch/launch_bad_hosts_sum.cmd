trireme launch -n 8 --hosts a:4,b:3 -- true
