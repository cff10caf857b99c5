trireme explain
