run=$(mktemp -d); trap 'rm -rf "$run"' EXIT; tests/cli/checkpoint/make-run "$run/first"; cd "$run" || exit
trireme checkpoint show first --json
