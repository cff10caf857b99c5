# The program beside this one, or the installed one, gets the configuration as one word.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/libexec/trireme"
cp "$(realpath "$(command -v trireme)")" "$folder/bin/trireme"
trainer() { printf '#!/bin/sh\necho "%s: %s words, then $2"; echo "$1" | head -n 2; exit 3\n' "$1" '$#' >"$2"; chmod +x "$2"; }
trainer installed "$folder/libexec/trireme/trireme-train"
"$folder/bin/trireme" train --set model.kind=mlp; echo "status $?"
trainer beside "$folder/bin/trireme-train"
"$folder/bin/trireme" train --json; echo "status $?"
