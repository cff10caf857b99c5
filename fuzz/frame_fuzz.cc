// Words of a control connection: any bytes, in any pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/tcp/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trireme;
  if (size == 0) return 0;
  const std::size_t piece = data[0] + std::size_t{1};
  std::span<const std::byte> rest = std::as_bytes(std::span(data + 1, size - 1));
  if (rest.size() >= wire::tcp::FrameHead::kBytes) {
    const auto head = wire::tcp::FrameHead::decode(rest.first<wire::tcp::FrameHead::kBytes>()).encode();
    if (!std::equal(head.begin(), head.end(), rest.begin())) __builtin_trap();
  }
  wire::tcp::WordReader reader;
  std::vector<wire::tcp::Word> words;
  try {
    while (!rest.empty()) {
      const std::size_t count = std::min(piece, rest.size());
      reader.take(rest.first(count), words);
      rest = rest.subspan(count);
    }
  } catch (const Error&) {
  }
  // A word that was understood is written back as the same bytes.
  for (const wire::tcp::Word& word : words) {
    wire::tcp::WordReader again;
    std::vector<wire::tcp::Word> same;
    again.take(word.encode(), same);
    if (same.size() != 1 || to_string(same[0].failure) != to_string(word.failure)) __builtin_trap();
  }
  return 0;
}
