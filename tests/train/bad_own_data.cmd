# Each mistake is refused with one sentence and status 2.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
try() { trireme train --set model.kind=mlp --set data.batch=1 --workers 1 --steps 1 "$@" 2>&1 | sed "s#$folder#FOLDER#g"; echo "status ${PIPESTATUS[0]}"; }
csv() { printf "$1" >a.csv; try --set data.kind=csv --set data.path=a.csv --set data.label="${2-kind}" "${@:3}"; }
csv 'long,kind\n1,0\n2,\n'
csv 'long,kind\n1,0\n\n"x, y",1\n'
csv 'long,kind\n1,0\n2,1,3\n'
csv 'long,kind\n1,0\nnan,1\n'
csv 'long,kind\n1,0\n"2,1\n'
csv 'long;kind\n1;0\n'
csv ''
csv 'long,kind\n'
csv 'long,wide\n1,0\n2,1\n'
csv 'long,kind\n1,0\n2,1\n' ''
csv 'long,kind\n1,0\n2,1\n' 5
csv 'long,kind\n1,0\n2,0.5\n'
csv 'long,kind\n1,0\n2,3\n' kind --set data.classes=3
csv 'long,kind\n1,0\n2,1e5\n'
csv 'long,kind\n1,0\n'
csv 'long,kind\n1,0\n' kind --set data.header=false
try --set data.kind=csv
try --set data.kind=csv --set data.path=none.csv
python3 - <<'END'
import struct
def npy(path, kind, shape, data, order="False"):
    header = f"{{'descr': {kind!r}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
npy("y.npy", "|u1", "(2,)", bytes([0, 1]))
npy("y3.npy", "|u1", "(3,)", bytes([0, 1, 1]))
npy("half.npy", "<f4", "(2,)", struct.pack("<2f", 0, 0.5))
npy("x.npy", "<f4", "(2, 3)", bytes(24))
npy("cut.npy", "<f4", "(2, 3)", bytes(23))
npy("fortran.npy", "<f4", "(2, 3)", bytes(24), "True")
npy("complex.npy", "<c8", "(2, 3)", bytes(48))
npy("records.npy", [("a", "<f4")], "(2,)", bytes(8))
npy("nan.npy", "<f4", "(2, 3)", struct.pack("<6f", 0, 1, 2, 3, float("nan"), 5))
END
npy() { try --set data.kind=npy --set data.path="$1" --set data.labels="${2-y.npy}" "${@:3}"; }
npy cut.npy
npy fortran.npy
npy complex.npy
npy records.npy
npy nan.npy
npy x.npy y3.npy
npy x.npy half.npy
npy x.npy ''
npy x.npy y.npy --set data.test_path=x.npy
npy a.csv
