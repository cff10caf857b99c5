folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
printf '#!/no/such/interpreter\n' >script && chmod +x script
trireme launch -n 2 --logs logs -- ./script
