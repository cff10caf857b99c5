TRIREME_SECRET=short trireme launch -n 2 --wire tcp -- true
