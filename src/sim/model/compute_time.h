// How long a worker computes in a round.
#pragma once

#include <cstdint>

#include "sim/model/scenario.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// With its own factor, the cores that it shares, and the spread, which is drawn from the job's seed, the
/// worker and the round.
[[nodiscard]] Picoseconds compute_time(const Scenario& scenario, Rank worker, std::int64_t round);

/// How many times `per_batch` the slowest worker takes, without spread.
[[nodiscard]] double slowest_factor(const Scenario& scenario);

/// The same of measured phases: what they say, with the worker's factor and the spread.
[[nodiscard]] Picoseconds phase_compute_time(const Scenario& scenario, Rank worker, std::int64_t round);

/// The batches that a device of a federated job computes before it sends its model back.
[[nodiscard]] std::int64_t local_batches(const Scenario::Job& job);

/// Since the beginning of a computation that takes so long: when the gradients of a bucket are there.
[[nodiscard]] Picoseconds bucket_ready(const Scenario& scenario, Picoseconds computation,
                                       std::int32_t bucket);

}  // namespace trireme::sim
