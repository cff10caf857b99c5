// The gain from many workers: how much sooner the same samples are done than by one worker, and how many
// samples a job processes per second.
#pragma once

#include <optional>

#include "sim/model/scenario.h"

namespace trireme::sim {

struct Speedup {
  /// The time of one worker alone for the samples that all workers of the job see: it computes and updates
  /// its weights and exchanges nothing. Empty if the time of one batch is not known.
  std::optional<double> one_worker_s;
  std::optional<double> factor;         ///< so many times as fast as one worker alone
  std::optional<double> efficiency;     ///< the factor divided by the number of workers
  std::optional<double> samples_per_s;  ///< empty if no batch is given
};

/// For a synchronous or federated job that takes `total_s`. The worker alone has no factor of its own, starts
/// at once and computes without spread.
[[nodiscard]] Speedup speedup_of(const Scenario& scenario, double total_s);

}  // namespace trireme::sim
