trireme train --set data.kind=synthetic --set model.kind=mlp --epochs 1 --workers 2 --strategy ring 2>/dev/null |
  sed -E 's/(accuracy|loss) [0-9.]+/\1 N/g; s/^[0-9,]+ samples/N samples/; s/[0-9.]+ s in all/T s in all/; s/ +[0-9.]+ +[0-9.]+ %$/ T/'
