trireme launch --hosts a --ssh no-such-ssh -- true
