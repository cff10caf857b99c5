folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
printf '\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\2abcde' >"$folder/train-images-idx3-ubyte"
printf '\0\0\10\1\0\0\0\2\0\1' >"$folder/train-labels-idx1-ubyte"
trireme train --set data.path="$folder" 2>&1 | sed "s#$folder#FOLDER#g"
