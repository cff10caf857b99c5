// How long exchanges take by formula, where every node has a card of its own behind a switch.
#pragma once

#include <cstdint>

#include "plan/plan.h"
#include "sim/model/costs.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// Of exchanges that follow each other. A node begins with the next one when it is done with the one before:
/// whom a server answers first, it hears from first.
struct ExchangeTime {
  Picoseconds each = 0;        ///< of many
  Picoseconds first_more = 0;  ///< what the first takes besides, as all begin it together; may be below 0

  /// Of a single one: from the beginning, which is the same for all nodes, to the end of the last one.
  [[nodiscard]] Picoseconds first() const { return each + first_more; }
};

/// `at_holder`: what whoever holds a share of the weights does with it before handing it out.
///
/// It is what the event loop finds, to the picosecond, where `is_exact`. Elsewhere it is near: parts are
/// taken to be as large as the largest one, everybody to wait for the slowest after each step, and few to be
/// in another's way by being early.
[[nodiscard]] ExchangeTime exchange_time(const plan::PlanSpec& spec, const Costs& costs,
                                         Picoseconds at_holder = 0);

/// How exchanges follow each other.
enum class Series : std::uint8_t {
  kOnce,            ///< a single one
  kInARow,          ///< each when the one before is done, or what is to be exchanged has been computed
  kDuringBackward,  ///< likewise, and in the first round some workers begin one together, and others do not
};

/// docs/planning.md says where.
[[nodiscard]] bool is_exact(const plan::PlanSpec& spec, Series series);

}  // namespace trireme::sim
