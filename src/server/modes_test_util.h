// Short names for modes, and the law of staleness.
#pragma once

#include <cstdint>

#include "plan/mode.h"

namespace trireme::server {

inline constexpr plan::Mode kAsync{.kind = plan::Mode::Kind::kAsync};
inline constexpr plan::Mode ssp(std::int32_t slack) {
  return {.kind = plan::Mode::Kind::kSsp, .number = slack};
}
inline constexpr plan::Mode backup(std::int32_t workers) {
  return {.kind = plan::Mode::Kind::kBackup, .number = workers};
}

/// The sum of the staleness of all gradients, with one share, if all workers begin with the first weights and
/// numbers are handed out to whoever asks next.
inline constexpr std::int64_t law(std::int64_t workers, std::int64_t gradients) {
  return (workers - 1) * (2 * gradients - workers) / 2;
}

}  // namespace trireme::server
