TRIREME_TIMEOUT=soon trireme launch -n 4 -- true
