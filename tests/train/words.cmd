# A partial epoch is not called one, and without an exchange none is spoken of.
train() { trireme train --set data.kind=synthetic --set model.kind=mlp --workers 2 "$@" 2>&1 >/dev/null | grep -E 'strategy|bucket|test accuracy' |
  sed -E 's/(accuracy|loss) [0-9.]+/\1 N/g'; }
train --steps 60 --strategy ring
train --steps 5 --strategy none
