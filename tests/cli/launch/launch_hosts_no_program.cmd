ssh=$PWD/tests/cli/fake-ssh; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
trireme launch --hosts a --ssh "$ssh" --logs logs -- ./no-such-program
