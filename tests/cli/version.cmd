trireme --version
