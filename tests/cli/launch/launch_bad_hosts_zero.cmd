trireme launch --hosts a:4,b:0 -- true
