// What many workers bring: how much sooner the same samples are done than by one worker, and how many samples
// a job sees in a second.
#pragma once

#include <optional>

#include "sim/model/scenario.h"

namespace trireme::sim {

struct Speedup {
  /// One worker alone, for the samples that all workers of the job see: it computes and updates its weights,
  /// and exchanges nothing. Nothing where no time of one batch is known.
  std::optional<double> one_worker_s;
  std::optional<double> factor;         ///< so many times as fast as one worker alone
  std::optional<double> efficiency;     ///< the factor divided by the number of workers
  std::optional<double> samples_per_s;  ///< nothing where no batch is given
};

/// Of a synchronous or federated job that takes `total_s`. The worker alone has no factor of its own, starts
/// at once and computes without spread.
[[nodiscard]] Speedup speedup_of(const Scenario& scenario, double total_s);

}  // namespace trireme::sim
