trireme --json explain ring
