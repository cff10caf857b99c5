# One that is cut off, and one whose process was killed.
run=$(mktemp -d); trap 'rm -rf "$run"' EXIT; tests/cli/checkpoint/make-run "$run/first"; cd "$run" || exit
truncate --size 100 first/checkpoints/step-40/weights.safetensors
mkdir first/checkpoints/step-50 first/checkpoints/.step-60.saving
trireme checkpoint show first
trireme checkpoint show first --json | grep -A3 step-50
trireme checkpoint show first/checkpoints/step-40
