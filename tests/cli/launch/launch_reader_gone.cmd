# A reader that stops reading ends nothing: the job goes on, and the exit status is the job's own.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
job() { trireme launch -n 1 --logs logs -- sh -c "echo one; sleep 0.5; echo two; touch \$0-was-there; exit $1" "$2"; }
job 0 first | head -n 1; echo "status ${PIPESTATUS[0]}"
job 3 second 2>/dev/null | true; echo "status ${PIPESTATUS[0]}"
trireme launch -n 1 --logs logs --json -- true | true; echo "status ${PIPESTATUS[0]}"
trireme --help | true; echo "status ${PIPESTATUS[0]}"
ls ./*-was-there
