folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cp "$(realpath "$(command -v trireme)")" "$folder/trireme"
"$folder/trireme" train 2>&1 | sed "s#$folder#FOLDER#"
