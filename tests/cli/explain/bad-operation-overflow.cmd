printf 'worker,v0,v1\nA,1,1e308\nB,2,1e308\n' | trireme explain --operation reduce-scatter --values /dev/stdin
