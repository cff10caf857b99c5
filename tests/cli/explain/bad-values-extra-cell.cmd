printf 'worker,v0\nA,1,2\n' | trireme explain ring --values /dev/stdin
