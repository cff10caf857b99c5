folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
# The sums differ from processor to processor, as the last bits of weights do.
say() { sed -E "s#$folder#FOLDER#g; s/sum [0-9a-f]{8} instead of [0-9a-f]{8}/sum S instead of T/"; }
try() { "$@" 2>&1 >/dev/null | say; echo "status ${PIPESTATUS[0]}"; }
job=(trireme train --set data.kind=synthetic --set model.kind=mlp --set 'model.hidden=[8]' --workers 2)
"${job[@]}" --steps 6 --set run.checkpoint_every=3 --out "$folder/a" >/dev/null 2>&1
mkdir "$folder/empty"
try trireme train --resume "$folder/nowhere"
try trireme train --resume "$folder/empty"
try trireme train --resume ""
try trireme train --resume "$folder/a" --set 'model.hidden=[9]' --steps 9
try "${job[@]}" --steps 3 --out "$folder/a"
# A newer one that is cut off is passed over; one whose bytes are others is refused, and the older one named.
printf X | dd of="$folder/a/checkpoints/step-6/weights.safetensors" bs=1 seek=400 conv=notrunc 2>/dev/null
try trireme train --resume "$folder/a" --steps 9
truncate -s 100 "$folder/a/checkpoints/step-6/weights.safetensors"
try trireme train --resume "$folder/a/checkpoints/step-6" --steps 9
trireme train --resume "$folder/a" --steps 9 2>&1 | say | grep -E 'complete|going'
rm "$folder"/a/checkpoints/*/DONE
try trireme train --resume "$folder/a"
try "${job[@]}" --init "$folder/nowhere.safetensors"
echo '{}' >"$folder/no.safetensors"
try "${job[@]}" --init "$folder/no.safetensors"
try "${job[@]}" --steps 1 --save "$folder/nowhere/w.safetensors"
for every in often 1.5 '5 bananas'; do try "${job[@]}" --out "$folder/z" --set run.checkpoint_every="$every"; done
