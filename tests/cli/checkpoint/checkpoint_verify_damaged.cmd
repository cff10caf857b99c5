# A flipped bit, and a file that is gone.
run=$(mktemp -d); trap 'rm -rf "$run"' EXIT; tests/cli/checkpoint/make-run "$run/first"; cd "$run" || exit
printf x | dd of=first/checkpoints/step-40/weights.safetensors bs=1 seek=200 conv=notrunc status=none
rm first/checkpoints/step-20/config.toml
trireme checkpoint verify first --json; echo "status $?"
trireme checkpoint verify first
