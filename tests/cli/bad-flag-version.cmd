trireme explain --version
