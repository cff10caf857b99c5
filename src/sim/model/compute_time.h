// The time that a worker computes in a round.
#pragma once

#include <cstdint>

#include "sim/model/scenario.h"
#include "sim/model/time.h"

namespace trireme::sim {

/// Includes the worker's own factor, the cores that it shares, and the spread, which is drawn from the job's
/// seed, the worker and the round.
[[nodiscard]] Picoseconds compute_time(const Scenario& scenario, Rank worker, std::int64_t round);

/// How many times `per_batch` the slowest worker takes, without spread.
[[nodiscard]] double slowest_factor(const Scenario& scenario);

/// The same for measured phases: the measured time, with the worker's factor and the spread.
[[nodiscard]] Picoseconds phase_compute_time(const Scenario& scenario, Rank worker, std::int64_t round);

/// The number of batches that a device of a federated job computes before it sends its model back.
[[nodiscard]] std::int64_t local_batches(const Scenario::Job& job);

/// When the gradients of a bucket are ready, measured from the start of a computation that takes
/// `computation`.
[[nodiscard]] Picoseconds bucket_ready(const Scenario& scenario, Picoseconds computation,
                                       std::int32_t bucket);

}  // namespace trireme::sim
