// Any text as the state.json of a checkpoint: it is refused with an `Error`, or gives a state that can be
// written and read back.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "checkpoint/state.h"
#include "fuzz/configuration.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trireme;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::optional<checkpoint::State> state;
  try_or_refuse([&] { state = checkpoint::read_state(text, "fuzz"); });
  if (state) require(checkpoint::read_state(checkpoint::to_json(*state), "again") == *state);
  return 0;
}
