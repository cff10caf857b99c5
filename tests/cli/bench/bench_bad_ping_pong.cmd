trireme bench ping-pong --workers 1
