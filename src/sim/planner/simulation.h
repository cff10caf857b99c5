// A whole job as events, in any mode.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/events/free_run.h"
#include "sim/events/sync_run.h"
#include "sim/model/scenario.h"
#include "sim/model/span.h"

namespace trireme::sim {

struct Simulation {
  double total_s = 0;
  std::int64_t rounds = 0;               ///< for a job that has rounds
  std::optional<std::int64_t> messages;  ///< empty for measured phases, which have no known messages
  std::optional<std::int64_t> bytes;
  std::vector<NodeTimes> nodes;  ///< by rank, or a single entry for all; in the rounds that were simulated
  std::int64_t simulated_rounds = 0;            ///< the others repeat these
  bool one_at_a_time = false;                   ///< nodes do nothing while they send or receive
  std::optional<FreeResult> free;               ///< for workers that do not wait for all others
  std::optional<std::int64_t> bound_eta_delta;  ///< for asynchronous workers
  std::int64_t sequential_updates = 0;          ///< of one core, for comparison
};

/// With a watch every node is simulated; otherwise identical nodes are simulated as one, and identical rounds
/// once. Throws `Error` (bad input) if that would take more memory than there is, or more than 2,000,000,000
/// messages. There are `writes` in modes other than sync.
[[nodiscard]] Simulation simulate(const Scenario& scenario, const SimWatch& watch = {},
                                  const SimProgress& progress = {}, const WriteWatch& writes = {});

/// Whether `simulate` without a watch would accept it.
[[nodiscard]] bool is_simulable(const Scenario& scenario);

}  // namespace trireme::sim
