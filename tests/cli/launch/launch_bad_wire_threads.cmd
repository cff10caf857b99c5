trireme launch -n 2 --wire threads -- true
