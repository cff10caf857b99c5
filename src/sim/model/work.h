// How much work a job is: samples and mini-batches, of all workers together or of a device by itself.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/model/scenario.h"

namespace trireme::sim {

/// Of a federated job: in one round, until the exchange.
struct DeviceWork {
  std::int64_t samples = 0;  ///< of its own; the largest part, where they do not divide
  std::int64_t samples_seen = 0;
  std::int64_t batches = 0;
};

/// Numbers beyond 2^63 are left out.
struct Work {
  std::optional<std::int64_t> batches_per_epoch{};  ///< of a job with `samples`, unless federated
  std::optional<std::int64_t> batches{};            ///< in all, unless federated
  std::optional<std::int64_t> samples_per_round{};  ///< of all workers: the global batch, times `local_steps`
  std::optional<DeviceWork> device{};               ///< of a federated job
};
/// Of a job that has rounds.
[[nodiscard]] Work work_of(const Scenario::Job& job);

/// Of a job with `samples`; the last one may have fewer of them.
[[nodiscard]] std::int64_t batches_per_epoch(const Scenario::Job& job);

}  // namespace trireme::sim
