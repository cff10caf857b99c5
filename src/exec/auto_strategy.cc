#include "exec/auto_strategy.h"

#include <fmt/format.h>

#include "base/text.h"

namespace trireme {
namespace {

// Up to here one round of flags with more additions beats two rounds with fewer. Measured with 2 nodes on 2
// cores and 4 nodes on 2 cores, from 64 bytes to 1 MiB.
std::int64_t most_for_all_to_all(bool in_window, std::int32_t workers) {
  if (!in_window) return 8 << 10;
  return workers <= 2 ? 512 : 4 << 10;
}

}  // namespace

Choice choose_strategy(Wire& wire, bool in_window, std::int32_t workers, std::int64_t bytes) {
  if (wire.windows() == nullptr) {
    return {Strategy::kDirect, "direct, measured fastest in one process at any size"};
  }
  const std::int64_t border = most_for_all_to_all(in_window, workers);
  const Strategy strategy = bytes <= border ? Strategy::kAllToAll : Strategy::kDirect;
  return {strategy, fmt::format("{}, measured fastest in shared memory for {} {} {}", name(strategy),
                                counted(workers, "worker"), bytes <= border ? "up to" : "above",
                                bytes_in_words(border))};
}

}  // namespace trireme
