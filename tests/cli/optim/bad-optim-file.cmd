folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
try() { trireme optim --system a.csv 2>&1; echo "exit $?"; }
try
mkdir a.csv; try; rmdir a.csv
: >a.csv; try
printf 'x,y,b\n' >a.csv; try
printf 'x,y,b\n1,2,3\n1,y,3\n' >a.csv; try
printf '1,2,3\n\n0,0,3\n' >a.csv; try
printf '1,2,3\n1,2\n' >a.csv; try
printf '1,2,3\n1\n' >a.csv; try
printf '1;2;3\n' >a.csv; try
head -c 17000000 /dev/zero | tr '\0' 1 >a.csv; try
