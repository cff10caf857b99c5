trireme --help >/dev/full
