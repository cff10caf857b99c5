// Any text as the DONE of a checkpoint: it is refused with an `Error`, or is exactly what is written for its
// files. The second time with the right sum behind it, so that more than the sum is tried.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/done.h"
#include "fuzz/configuration.h"

namespace trireme::checkpoint {
namespace {

void try_text(std::string_view text) {
  std::optional<std::vector<FileSum>> files;
  try_or_refuse([&] { files = read_done(text, "fuzz"); });
  if (files) require(to_text(*files) == text);
}

}  // namespace
}  // namespace trireme::checkpoint

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trireme::checkpoint;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_text(text);
  try_text(text + fmt::format("{:08x} DONE\n", crc32_of(std::as_bytes(std::span(text)))));
  return 0;
}
