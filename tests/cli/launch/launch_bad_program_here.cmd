trireme launch -n 4 -- README.md
