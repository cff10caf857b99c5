// The rounds of a synchronous job as events: computations, messages on cards, links and memory, additions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"
#include "sim/model/node_times.h"
#include "sim/model/scenario.h"
#include "sim/model/span.h"
#include "sim/model/time.h"

namespace trireme::sim {

struct SyncResult {
  std::vector<Picoseconds> round_ends;  ///< by the node that is last
  std::vector<NodeTimes> nodes;         ///< by rank; one that stands for all where they are identical
  std::int64_t messages = 0;            ///< of all nodes, in all rounds
  std::optional<std::int64_t> bytes;    ///< nothing: too many to count
  std::int64_t most_in_flight = 0;      ///< messages under way at once, of the nodes that were simulated

  [[nodiscard]] Picoseconds total() const { return round_ends.empty() ? 0 : round_ends.back(); }
};

/// So many rounds, one after the other. Nodes that are identical and see the same plan are simulated as one.
///
/// A step of a node begins when the one before is complete: all its messages go to its card, one after the
/// other, as soon as that is free; it is complete when the last has left, all that it waits for has come, and
/// what is to be added is added. Cards, links and memory serve in the order of arrival, and have room for all
/// that waits.
[[nodiscard]] SyncResult simulate_sync(const Scenario& scenario, const plan::PlanSpec& spec,
                                       std::int64_t rounds, const SimProgress& progress = {});

/// The same without taking identical nodes together, where each node is to be seen.
[[nodiscard]] SyncResult simulate_sync_of_all(const Scenario& scenario, const plan::PlanSpec& spec,
                                              std::int64_t rounds, const SimWatch& watch = {},
                                              const SimProgress& progress = {});

}  // namespace trireme::sim
