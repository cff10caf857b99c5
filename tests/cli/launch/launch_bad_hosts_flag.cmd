trireme launch --hosts=-oProxyCommand=true -- true
