// The rounds of a synchronous job as events: computations, messages over cards, links and memory, additions.
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
  std::vector<Picoseconds> round_ends;  ///< when the last node ends the round
  std::vector<NodeTimes> nodes;         ///< by rank; a single entry for all if they are identical
  std::int64_t messages = 0;            ///< of all nodes, in all rounds
  std::optional<std::int64_t> bytes;    ///< empty: too many to count
  std::int64_t most_in_flight = 0;      ///< messages under way at the same time, of the simulated nodes

  [[nodiscard]] Picoseconds total() const { return round_ends.empty() ? 0 : round_ends.back(); }
};

/// Simulates so many rounds, one after the other. Identical nodes that see the same plan are simulated as
/// one.
///
/// A step of a node begins when the previous one is complete: all its messages go to its card, one after the
/// other, as soon as the card is free. The step is complete when its last message has left, all messages that
/// it waits for have arrived, and the additions are done. Cards, links and memory serve messages in order of
/// arrival and have unlimited queue space.
[[nodiscard]] SyncResult simulate_sync(const Scenario& scenario, const plan::PlanSpec& spec,
                                       std::int64_t rounds, const SimProgress& progress = {});

/// The same, but simulates every node, for when each one must be seen.
[[nodiscard]] SyncResult simulate_sync_of_all(const Scenario& scenario, const plan::PlanSpec& spec,
                                              std::int64_t rounds, const SimWatch& watch = {},
                                              const SimProgress& progress = {});

}  // namespace trireme::sim
