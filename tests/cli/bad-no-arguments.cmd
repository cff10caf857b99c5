trireme
