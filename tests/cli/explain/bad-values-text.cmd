printf 'worker,v0,v1\nA,1,2\nB,two,2\n' | trireme explain ring --values /dev/stdin
