trireme train --set data.path=/nowhere 2>&1
