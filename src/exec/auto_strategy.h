// `auto`: a small table by wire, memory, number of workers and bytes, made from measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plan/plan.h"
#include "wire/wire_kind.h"

namespace trireme::exec {

/// A strategy by its name, or nothing for "auto". Throws `Error` for any other word.
[[nodiscard]] std::optional<plan::Strategy> parse_strategy_or_auto(std::string_view text);

struct Choice {
  plan::Strategy strategy = plan::Strategy::kDirect;
  std::string
      why;  ///< "direct, fastest in built-in measurements on 2 cores: wire shm, 4 workers, above 4,096 bytes"
};

/// The strategy for one sum of so many bytes on this wire, in a window or not. It is one of
/// those that add in ring order, so that the choice never changes a bit of the result, except in sums and
/// products of 16-bit floats, which a ring rounds at each hop.
[[nodiscard]] Choice choose_strategy(wire::WireKind wire, bool in_window, std::int32_t workers,
                                     std::int64_t bytes);

/// The strategy for another operation, whose spec has so many bytes.
[[nodiscard]] Choice choose_strategy(plan::Operation operation, bool has_windows, std::int32_t workers,
                                     std::int64_t bytes);

}  // namespace trireme::exec
