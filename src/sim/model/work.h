// The amount of work in a job: samples and mini-batches, of all workers together or of one device.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/model/scenario.h"

namespace trireme::sim {

/// A device's work in one round of a federated job, until the exchange.
struct DeviceWork {
  std::int64_t samples = 0;  ///< its own samples; the largest part if they do not divide evenly
  std::int64_t samples_seen = 0;
  std::int64_t batches = 0;
};

/// Numbers beyond 2^63 are left out.
struct Work {
  std::optional<std::int64_t> batches_per_epoch{};  ///< of a job with `samples`, unless federated
  std::optional<std::int64_t> batches{};            ///< in total, unless federated
  std::optional<std::int64_t> samples_per_round{};  ///< of all workers: the global batch times `local_steps`
  std::optional<DeviceWork> device{};               ///< of a federated job
};
/// The work of a job that has rounds.
[[nodiscard]] Work work_of(const Scenario::Job& job);

/// For a job with `samples`; the last batch may have fewer samples.
[[nodiscard]] std::int64_t batches_per_epoch(const Scenario::Job& job);

}  // namespace trireme::sim
