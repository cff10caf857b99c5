// Any bytes as an npy file: its header is understood, and the file is as long as it announces, or it is
// refused with an `Error`.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.h"
#include "data/npy.h"

namespace trireme {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void try_npy(std::span<const std::uint8_t> bytes) {
  try {
    const data::NpyHeader header = data::read_npy_header(bytes, "fuzz");
    std::size_t elements = 1;
    for (const std::int64_t dimension : header.dimensions) elements *= static_cast<std::size_t>(dimension);
    require(!header.dimensions.empty() && header.dimensions.size() <= 4 && elements > 0);
    require(header.bytes + elements * data::size_of(header.type) == bytes.size());
  } catch (const Error& error) {
    require(error.failure().cause == Failure::Cause::kBadInput && !error.failure().hint.empty());
  }
}

}  // namespace
}  // namespace trireme

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trireme::try_npy({data, size});
  return 0;
}
