// The record of what happened when, made by both a real run and a simulation, with the op ids of the plan.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"

namespace trireme::plan {

/// One op of one node, from when it was posted (or a fold begun) until it was known to be complete.
struct TraceEvent {
  OpId id = 0;
  std::int64_t start_ps = 0;  ///< picoseconds since the run began on this node
  std::int64_t end_ps = 0;
};

/// The events of one node, in the order of its program.
struct Trace {
  Rank node = 0;
  std::vector<TraceEvent> events;
};

}  // namespace trireme::plan
