try() { trireme "$@" 2>&1 | head -n 1; echo "status ${PIPESTATUS[0]}"; }
try help nonsense
try help trian
try trian --help
try --help trian
