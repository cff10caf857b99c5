trireme launch --hosts a:4,:3 -- true
