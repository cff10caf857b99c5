trireme launch -n 4 --timeout "" -- true
