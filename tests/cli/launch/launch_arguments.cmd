folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
# Everything from the program on belongs to the program, with or without dashes before it.
trireme launch -n 1 --logs logs sh -c 'printf "<%s>" "$@"; echo' - --json -n 3 -- '[a,b]' '{}' '' explain
trireme launch -n 1 --logs logs -- sh -c 'printf "<%s>" "$@"; echo' - --json -n 3 -- '[a,b]' '{}' '' explain
