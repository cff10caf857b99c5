trireme --version >&-
