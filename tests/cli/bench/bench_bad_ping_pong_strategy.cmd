trireme bench ping-pong --strategy ring
