trireme train --print-config
