trireme checkpoint --help
