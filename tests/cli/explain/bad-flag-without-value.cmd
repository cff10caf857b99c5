trireme explain ring --workers
