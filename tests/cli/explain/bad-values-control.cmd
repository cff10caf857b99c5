printf 'worker,v0\nA\033[31m,1\n' | trireme explain ring --values /dev/stdin
