trireme explain ring --wokers 4
