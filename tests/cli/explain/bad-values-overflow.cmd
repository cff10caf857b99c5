printf 'worker,v0\nA,1e308\nB,1e308\n' | trireme explain ring --values /dev/stdin --json
