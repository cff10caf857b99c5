# Variables set by hand, and not all of them: joining would fail, so the doctor reports it.
TRIREME_RANK=1 TRIREME_SIZE=2 trireme doctor 2>/dev/null | sed -n '2p; /cannot join/,+1p; $p'
TRIREME_RANK=1 TRIREME_SIZE=2 TRIREME_MEET=127.0.0.1:5000 trireme doctor 2>/dev/null | sed -n '/cannot join/,+1p; $p'
