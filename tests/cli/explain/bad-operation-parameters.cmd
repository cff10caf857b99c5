printf 'worker,v0,v1\nA,1,2\nB,3,4\n' | trireme explain --operation gather --values /dev/stdin --parameters 2
