trireme simulate --help
