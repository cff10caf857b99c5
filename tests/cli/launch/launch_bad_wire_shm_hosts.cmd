trireme launch --hosts a,b --wire shm -- true
