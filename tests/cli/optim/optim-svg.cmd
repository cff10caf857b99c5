folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
trireme optim --equation 1,0.5=1 --svg a.svg 2>&1 >/dev/null
grep -c polyline a.svg
grep -o ">[^<]*</text>" a.svg | tail -7
