# Either worker may be the first to fail.
trireme train --set data.kind=synthetic --set model.kind=linear --set optimizer.rate=1e300 --workers 2 2>&1 |
  tail -n 1 | sed -E 's/rank [01]/rank R/g; s/process [0-9]+/process P/; s/step [0-9]+/step N/; s/(infinite|not a number)/no number/'
