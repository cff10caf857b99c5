// What a job will take, by formula: rounds, time, messages, and which strategy would be fastest.
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

/// How a job's mini-batches fall into rounds; rounds run on across epochs.
struct Rounds {
  std::int64_t full = 0;
  std::int64_t partial = 0;          ///< 0 or 1: the last one, in which not all workers have a batch
  std::int32_t workers_in_last = 0;  ///< of the partial one

  [[nodiscard]] std::int64_t all() const { return full + partial; }
};
[[nodiscard]] Rounds rounds_of(const Scenario& scenario);

/// Where the time of a round goes, one after the other on the path that decides.
struct RoundTime {
  Picoseconds receive = 0;  ///< of measured phases alone
  Picoseconds compute = 0;
  Picoseconds send = 0;       ///< of measured phases alone
  Picoseconds messages = 0;   ///< of a modelled network, from the first that leaves to the last that is there
  Picoseconds aggregate = 0;  ///< adding up
  Picoseconds update = 0;     ///< of the weights, by servers
  Picoseconds hidden = 0;     ///< of the above but compute: that is done during backward
  /// What the first of several rounds takes besides, as all workers begin it together; may be below 0. Not in
  /// `all`.
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
  std::optional<RoundTime> last_round;  ///< the partial one, if there is one
  /// Of the messages of a round: how long the card of the first worker sends; the rest of their time it
  /// waits. Nothing: not known, as workers share cards.
  std::optional<Picoseconds> sending;
  double total_s = 0;
  Speedup speedup;
  bool exact = true;  ///< the event loop finds the same, to the picosecond; else about the same
  /// From so many workers on communication and aggregation take longer than computation; nothing: never, or
  /// there is no model to know it from.
  std::optional<std::int64_t> communication_exceeds_at;
  std::optional<std::int64_t> messages;  ///< of all rounds
  std::optional<std::int64_t> bytes;
  std::vector<Ranked> ranking;  ///< fastest first; empty where there is no network to know it from
};

/// The same job with another number of workers: what is said of workers that are not there any more is left
/// out.
[[nodiscard]] Scenario with_workers(Scenario scenario, std::int32_t workers);

/// By the scenario's strategy; synchronous, or federated. Throws like `require_formula`, and where there is
/// neither a formula nor little enough to simulate.
[[nodiscard]] Forecast forecast(const Scenario& scenario);

/// Throws `Error` (bad input) of workers that do not wait for all others: there is no formula for these.
void require_formula(const Scenario& scenario);

/// A round of identical workers without spread, by any strategy. Of a network that is no switch there is
/// mostly no formula: there it is the second of two rounds of the event loop.
[[nodiscard]] RoundTime round_time(const Scenario& scenario, plan::Strategy strategy);

struct JobTime {
  Picoseconds round = 0;  ///< a full one
  double total_s = 0;
  bool exact = true;  ///< as that of a forecast
};

/// By any strategy; nothing where the strategy does not fit the number of workers, would have to be simulated
/// with too many messages, or takes longer than anybody waits.
[[nodiscard]] std::optional<JobTime> known_time(const Scenario& scenario, plan::Strategy strategy);

}  // namespace trireme::sim
