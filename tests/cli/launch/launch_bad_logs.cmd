trireme launch -n 4 --logs README.md -- true
