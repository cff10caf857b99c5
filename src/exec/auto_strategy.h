// `auto`: a small table by wire, number of workers and bytes, made from measurements.
#pragma once

#include <cstdint>
#include <string>

#include "plan/plan.h"
#include "wire/wire.h"

namespace trireme {

struct Choice {
  Strategy strategy = Strategy::kDirect;
  std::string why;  ///< "direct, measured fastest in shared memory for 4 workers above 4.1 kB"
};

/// The strategy for one exchange of so many bytes among `workers` nodes, in a window or not.
[[nodiscard]] Choice choose_strategy(Wire& wire, bool in_window, std::int32_t workers, std::int64_t bytes);

}  // namespace trireme
