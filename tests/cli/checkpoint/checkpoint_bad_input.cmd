run=$(mktemp -d); trap 'rm -rf "$run"' EXIT; tests/cli/checkpoint/make-run "$run/first"; cd "$run" || exit
trireme checkpoint show nowhere; echo "status $?"
mkdir empty; touch empty/config.toml
trireme checkpoint verify empty; echo "status $?"
trireme checkpoint show first/checkpoints/step-20/state.json; echo "status $?"
trireme checkpoint shw first; echo "status $?"
trireme checkpoint load first; echo "status $?"
trireme checkpoint show; echo "status $?"
trireme checkpoint show ""; echo "status $?"
trireme checkpoint show first second
