trireme explain --help
