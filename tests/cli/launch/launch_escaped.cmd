# Processes that nodes leave behind in their own session end with the job, too.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 2 --logs logs -- sh -c 'setsid sh -c "echo \$\$ > id-$TRIREME_RANK; exec sleep 1000" & until [ -s id-$TRIREME_RANK ]; do sleep 0.01; done' 2>&1
for id in $(cat id-0 id-1); do kill -0 "$id" 2>/dev/null && echo "$id is left"; done
echo done
