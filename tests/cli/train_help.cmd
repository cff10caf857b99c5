trireme train --help
