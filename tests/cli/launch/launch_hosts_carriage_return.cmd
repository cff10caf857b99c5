folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
printf '#!/bin/sh\nprintf "Permission denied.\\\\r\\\\n" >&2; exit 255\n' >ssh; chmod +x ssh
trireme launch --hosts a:1 --ssh ./ssh --logs logs -- true 2>&1 | sed -E 's/after [0-9.]+ m?s/after TIME/' | cat -A
