trireme launch --hosts a:4,a:3 -- true
