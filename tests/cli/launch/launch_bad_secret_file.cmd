folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
echo 0123456789abcdef0123456789abcdef >secret; chmod 644 secret
TRIREME_SECRET_FILE=secret trireme launch -n 2 --wire tcp -- true
