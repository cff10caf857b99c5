trireme bench broadcast --strategy ring
