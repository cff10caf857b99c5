// The forecast of a job by formula: rounds, time, messages, and which strategy would be fastest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "sim/model/scenario.h"
#include "sim/model/time.h"
#include "sim/planner/speedup.h"

namespace trireme::sim {

/// How a job's mini-batches are divided into rounds; rounds continue across epochs.
struct Rounds {
  std::int64_t full = 0;
  std::int64_t partial = 0;          ///< 0 or 1: a last round in which not all workers have a batch
  std::int32_t workers_in_last = 0;  ///< in the partial round

  [[nodiscard]] std::int64_t all() const { return full + partial; }
};
[[nodiscard]] Rounds rounds_of(const Scenario& scenario);

/// The parts of a round's time, one after the other on the critical path.
struct RoundTime {
  Picoseconds receive = 0;  ///< measured phases only
  Picoseconds compute = 0;
  Picoseconds send = 0;       ///< measured phases only
  Picoseconds messages = 0;   ///< modelled network: from the first one leaving to the last arriving
  Picoseconds aggregate = 0;  ///< adding up
  Picoseconds update = 0;     ///< of the weights, by servers
  Picoseconds hidden = 0;     ///< the part of the above, without compute, that is done during backward
  /// The extra time of the first of several rounds, because all workers begin it together; may be negative.
  /// Not included in `all`.
  Picoseconds first_more = 0;

  [[nodiscard]] Picoseconds all() const {
    return receive + compute + send + messages + aggregate + update - hidden;
  }
};

struct Ranked {
  plan::Strategy strategy = plan::Strategy::kRing;
  Picoseconds round = 0;
  double total_s = 0;
  bool exact = true;  ///< as that of a forecast
};

struct Forecast {
  Rounds rounds;
  RoundTime round;
  std::optional<RoundTime> last_round;  ///< the partial round, if there is one
  /// How long the card of the first worker sends during the messages of a round; the rest of their time it
  /// waits. Empty if unknown, because workers share cards.
  std::optional<Picoseconds> sending;
  double total_s = 0;
  Speedup speedup;
  bool exact = true;  ///< whether the event loop finds the same, to the picosecond; otherwise about the same
  /// From so many workers on, communication and aggregation take longer than computation; empty if never, or
  /// if there is no model to tell.
  std::optional<std::int64_t> communication_exceeds_at;
  std::optional<std::int64_t> messages;  ///< of all rounds
  std::optional<std::int64_t> bytes;
  std::vector<Ranked> ranking;  ///< fastest first; empty if there is no network to compute it from
};

/// The same job with another number of workers; settings for workers that no longer exist are dropped.
[[nodiscard]] Scenario with_workers(Scenario scenario, std::int32_t workers);

/// For the scenario's strategy, synchronous or federated. Throws like `require_formula`, and if there is no
/// formula and too much to simulate.
[[nodiscard]] Forecast forecast(const Scenario& scenario);

/// Throws `Error` (bad input) for workers that do not wait for all others: there is no formula for these.
void require_formula(const Scenario& scenario);

/// A round of identical workers without spread, for any strategy. Most networks other than a switch have no
/// formula: for these it is the second of two rounds of the event loop.
[[nodiscard]] RoundTime round_time(const Scenario& scenario, plan::Strategy strategy);

struct JobTime {
  Picoseconds round = 0;  ///< a full one
  double total_s = 0;
  bool exact = true;  ///< as that of a forecast
};

/// For any strategy; empty if the strategy does not fit the number of workers, would have to be simulated
/// with too many messages, or takes too long.
[[nodiscard]] std::optional<JobTime> known_time(const Scenario& scenario, plan::Strategy strategy);

}  // namespace trireme::sim
