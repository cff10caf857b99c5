# The same numbers in csv, npy and idx files of several types give the same weights, bit by bit, however they are
# normalized; also with several workers, and under a launcher.
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder" || exit
python3 - <<'END'
import gzip, os, random, struct

random.seed(5)
def part(count):
    rows = [[random.randrange(256) for _ in range(7)] for _ in range(count)]
    rows[0][:2] = [0, 255]
    return rows, [sum(row) % 3 for row in rows]
def npy(path, kind, shape, numbers):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    code = {"u1": "B", "i2": "h", "f4": "f", "f8": "d", "i8": "q"}[kind[1:]]
    order = ">" if kind[0] == ">" else "<"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"{order}{len(numbers)}{code}", *numbers))
def idx(path, kind, shape, numbers, pack=open):
    code, letter = {"u1": (8, "B"), "i2": (11, "h"), "i4": (12, "i"), "f4": (13, "f"), "f8": (14, "d")}[kind]
    with pack(path, "wb") as file:
        file.write(bytes([0, 0, code, len(shape)]) + struct.pack(f">{len(shape)}I", *shape))
        file.write(struct.pack(f">{len(numbers)}{letter}", *numbers))
for name, idx_name, count in (("train", "train", 211), ("test", "t10k", 53)):
    rows, labels = part(count)
    with open(f"{name}.csv", "w", newline="") as file:
        file.write("\ufeffa,b,c,\"kind, of three\",d,e,f,g\r\n")
        for row, label in zip(rows, labels):
            cells = [f"{number:.1f}" for number in row]
            file.write(",".join(cells[:3] + [f'"{label}"'] + cells[3:]) + "\r\n")
    numbers = [number for row in rows for number in row]
    for kind in ("|u1", "<i2", ">f4", "<f8"):
        npy(f"{name}-{kind[1:]}.npy", kind, (count, 7), numbers)
    npy(f"{name}-labels.npy", "<i8", (count,), labels)
    for kind in ("u1", "i4", "f4"):
        os.makedirs(f"idx-{kind}", exist_ok=True)
        images = f"idx-{kind}/{idx_name}-images-idx3-ubyte"
        idx(images + ".gz", kind, (count, 7), numbers, gzip.open) if kind == "i4" else idx(images, kind, (count, 7), numbers)
        idx(f"idx-{kind}/{idx_name}-labels-idx1-ubyte", "i2" if kind == "f4" else "u1", (count,), labels)
END
job=(trireme train --set model.kind=mlp --set 'model.hidden=[9]' --set data.batch=8 --set data.classes=3 --epochs 2 --json)
csv=(--set data.kind=csv --set data.path=train.csv --set data.test_path=test.csv --set 'data.label=kind, of three')
weights() { "${job[@]}" "$@" 2>/dev/null | grep -E 'weights|test_loss'; }
npy() { weights --set data.kind=npy --set data.path="train-$1.npy" --set data.labels=train-labels.npy --set data.test_path="test-$1.npy" --set data.test_labels=test-labels.npy "${@:2}"; }
for normalize in none unit standard; do
  rate=(--set data.normalize=$normalize --workers 3 --set optimizer.rate=1e-5)
  {
    weights "${csv[@]}" "${rate[@]}"
    for kind in u1 i2 f4 f8; do npy $kind "${rate[@]}"; done
    for kind in u1 i4 f4; do weights --set data.path=idx-$kind "${rate[@]}"; done
  } | sort | uniq -c | sed -E 's/[0-9a-f]{64}/DIGEST/; s/[0-9.]+,/LOSS,/'
done
# Samples that are held back are the same for all workers, and for both kinds of files.
held=(--set data.test_path= --set data.test_share=0.2 --workers 2)
{
  weights "${csv[@]}" "${held[@]}"
  weights "${csv[@]}" "${held[@]}" --wire tcp
  npy f4 "${held[@]}" --set data.test_labels=
  trireme launch -n 2 -- "${job[@]}" "${csv[@]}" "${held[@]:0:4}" 2>/dev/null | grep -E 'weights|test_loss'
} | sed 's/^\[0\] //' | sort | uniq -c | sed -E 's/[0-9a-f]{64}/DIGEST/; s/[0-9.]+,/LOSS,/'
# Nothing is left behind.
ls "${TMPDIR:-/var/tmp}" | grep -c '^trireme-......$'
exit 0
