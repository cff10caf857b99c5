trireme train --set data.kind=synthetic 2>&1
