# If standard error accepts nothing, only the messages for it are lost, and no result.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
job() { trireme launch -n 2 --logs logs -- sh -c 'echo lost >&2; echo result $TRIREME_RANK; echo lost >&2'; }
job 2>/dev/full | sort; echo "status ${PIPESTATUS[0]}"
job 2>&- | sort; echo "status ${PIPESTATUS[0]}"
trireme launch -n 1 --logs logs --json -- echo lost 2>/dev/full | grep '"ok"'; echo "status ${PIPESTATUS[0]}"
trireme launch 2>/dev/full; echo "status $?"
