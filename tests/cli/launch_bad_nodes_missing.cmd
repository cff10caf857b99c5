trireme launch -- true
