trireme launch -n 2 --wire thread -- true
