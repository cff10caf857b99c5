folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch -n 1 --timeout 1.5min --logs logs -- printenv TRIREME_TIMEOUT
TRIREME_TIMEOUT=250ms trireme launch -n 1 --logs logs -- printenv TRIREME_TIMEOUT
