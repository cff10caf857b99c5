ulimit -v 60000000  # so that no system grants what it cannot keep
trireme train --set data.kind=synthetic --set model.kind=mlp --set model.hidden=[1048576,1048576] --workers 2 2>&1 |
  grep -o 'there is too little memory.*' | sort -u
