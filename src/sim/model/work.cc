#include "sim/model/work.h"

#include <initializer_list>

#include "sim/model/ceil_div.h"
#include "sim/model/compute_time.h"

namespace trireme::sim {
namespace {

std::optional<std::int64_t> product(std::initializer_list<std::int64_t> factors) {
  std::int64_t all = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(all, factor, &all)) return std::nullopt;
  }
  return all;
}

std::optional<DeviceWork> device_work(const Scenario::Job& job) {
  const std::int64_t samples = ceil_div(job.samples, job.workers);
  const std::optional<std::int64_t> seen = product({samples, job.local_epochs});
  if (!seen) return std::nullopt;
  return DeviceWork{.samples = samples, .samples_seen = *seen, .batches = local_batches(job)};
}

}  // namespace

std::int64_t batches_per_epoch(const Scenario::Job& job) { return ceil_div(job.samples, job.batch); }

Work work_of(const Scenario::Job& job) {
  if (job.federated) return {.device = device_work(job)};
  Work work;
  if (job.samples > 0) {
    work.batches_per_epoch = batches_per_epoch(job);
    work.batches = product({*work.batches_per_epoch, job.epochs});
  } else {
    work.batches = product({job.rounds, job.workers, job.local_steps});
  }
  if (job.batch > 0) work.samples_per_round = product({job.workers, job.local_steps, job.batch});
  return work;
}

}  // namespace trireme::sim
