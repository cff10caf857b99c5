// Any text as the schedule of an asynchronous training: it is refused with an `Error`, or gives a schedule
// that can be written and read back.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fuzz/configuration.h"
#include "schedule/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trireme;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::optional<schedule::Schedule> read;
  try_or_refuse([&] { read = schedule::read_schedule(text, "fuzz"); });
  if (read) require(schedule::read_schedule(schedule::to_jsonl(*read), "again") == *read);
  return 0;
}
