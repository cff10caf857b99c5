// The duration of exchanges by formula, if every node has its own card behind a switch.
#pragma once

#include <cstdint>

#include "plan/plan.h"
#include "sim/model/costs.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// The duration of exchanges that follow each other. A node begins the next one when it has finished the one
/// before, so a server hears first from the worker that it answered first.
struct ExchangeTime {
  Picoseconds each = 0;        ///< for each of many
  Picoseconds first_more = 0;  ///< extra time of the first, because all begin it together; may be negative

  /// A single exchange: from the common start of all nodes to the end of the last node.
  [[nodiscard]] Picoseconds first() const { return each + first_more; }
};

/// `at_holder` is the time that the holder of a share needs for it before it sends it out.
///
/// If `is_exact`, the result equals that of the event loop to the picosecond. Otherwise it is close: it
/// assumes that all parts are as large as the largest, that all nodes wait for the slowest after each step,
/// and that few messages that arrive early delay others.
[[nodiscard]] ExchangeTime exchange_time(const plan::PlanSpec& spec, const Costs& costs,
                                         Picoseconds at_holder = 0);

/// How exchanges follow each other.
enum class Series : std::uint8_t {
  kOnce,            ///< a single exchange
  kInARow,          ///< each begins when the previous one is done, or when its data has been computed
  kDuringBackward,  ///< the same, but in the first round only some workers begin an exchange together
};

/// docs/planning.md lists the cases.
[[nodiscard]] bool is_exact(const plan::PlanSpec& spec, Series series);

}  // namespace trireme::sim
