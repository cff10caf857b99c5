trireme doctor | grep '^[A-Z]'
