// How the learning rate of a gradient follows from how stale it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/types.h"

namespace trireme::server {

/// The learning rate is divided
enum class StalenessRate : std::uint8_t {
  kWorkers,    ///< by the number of workers
  kStaleness,  ///< by the staleness of the gradient, where that is more than 1
  kNone,       ///< by nothing
};

inline constexpr std::string_view kStalenessRates[] = {"workers", "staleness", "none"};  // as the enum

/// Throws `Error` (bad input) that lists them.
[[nodiscard]] StalenessRate parse_staleness_rate(std::string_view text);

[[nodiscard]] constexpr double rate_divisor(StalenessRate rate, Rank workers, std::int64_t staleness) {
  switch (rate) {
    case StalenessRate::kWorkers:
      return workers;
    case StalenessRate::kStaleness:
      return static_cast<double>(std::max<std::int64_t>(staleness, 1));
    case StalenessRate::kNone:
      return 1;
  }
  return 1;
}

}  // namespace trireme::server
