# The smallest buffer has a number for each worker, where each has its chunk.
for operation in broadcast all-gather ping-pong; do
  trireme bench $operation --workers 3 --wire threads --max-bytes 12 2>/dev/null |
    sed -E 's/[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+$/…/; s/ (tree|star|direct|ring)/ …/; s/ +/ /g; s/^ //'
done
