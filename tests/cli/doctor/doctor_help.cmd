trireme doctor --help
