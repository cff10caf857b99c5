// Any bytes as an idx file, plain and through gzip: it is read whole, or refused with an `Error`, and the
// size that it announces takes no memory.
//
// tools/fuzz stops an input that allocates more than 64 MB at once; 8 KiB cannot unpack to that much.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.h"
#include "data/gzip.h"
#include "data/idx.h"

namespace trireme {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void try_idx(const data::ByteSource& source, std::size_t most) {
  try {
    const data::NumberArray array = data::read_idx(source, "fuzz");
    std::size_t product = 1;
    for (const std::int64_t dimension : array.dimensions) product *= static_cast<std::size_t>(dimension);
    require(!array.dimensions.empty() && array.dimensions.size() <= 4);
    require(product == static_cast<std::size_t>(array.elements.size()) && product > 0);
    require(array.elements.bytes().size() <= most);
  } catch (const Error& error) {
    require(error.failure().cause == Failure::Cause::kBadInput && !error.failure().hint.empty());
  }
}

}  // namespace
}  // namespace trireme

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostPerByte = 1032;  // deflate unpacks one byte to at most so many
  const std::span bytes(data, size);
  trireme::try_idx(trireme::data::bytes_of_memory(bytes), size);
  trireme::try_idx(trireme::data::gunzipped(trireme::data::bytes_of_memory(bytes), "fuzz.gz"),
                   kMostPerByte * size);
  return 0;
}
