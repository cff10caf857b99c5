mpirun.openmpi -n 1 "$(command -v trireme)" train --set data.kind=synthetic --set model.kind=mlp --steps 12 --json 2>/dev/null |
  python3 -c 'import json, sys; summary = json.load(sys.stdin); print(summary["workers"], "worker,", summary["steps"], "steps")'
