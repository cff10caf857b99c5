printf 'worker,v0\nA,1\nS1,2\n' | trireme explain parameter-server --values /dev/stdin
