trireme train --set model.hidden=[3] --set optimizer.beta1=0.5 --print-config 2>&1 >/dev/null
