# The numbers, with what rounding may change cut off.
trireme optim --equation 1,0.1,0.01=1 --rule sgd,epoch-adam,rescaled-sgd,adam --json | python3 -c '
import json, sys
def cut(x): return float(f"{x:.9g}") if abs(x) > 1e-9 else 0
for one in json.load(sys.stdin)["rules"]:
    print(one["rule"], [cut(x) for x in one["theta"]], one["steps"], cut(one["residual"]),
          {k: cut(v) for k, v in one["norms"].items()}, one["least_norm_of"])'
