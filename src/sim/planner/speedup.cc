#include "sim/planner/speedup.h"

#include <algorithm>
#include <cmath>

#include "sim/model/compute_time.h"
#include "sim/model/work.h"

namespace trireme::sim {
namespace {

double as_double(std::int64_t number) { return static_cast<double>(number); }

// The number of batches that all workers compute together.
double batches_of(const Scenario::Job& job) {
  if (job.federated) {
    Scenario::Job one_device = job;
    one_device.workers = 1;
    return as_double(local_batches(one_device)) * std::max(as_double(job.rounds), 1.0);
  }
  if (job.rounds > 0) return as_double(job.rounds) * job.workers * as_double(job.local_steps);
  return as_double(batches_per_epoch(job)) * as_double(job.epochs);
}

// Empty if no batch is given.
std::optional<double> samples_of(const Scenario::Job& job) {
  if (job.federated) {
    return as_double(job.samples) * as_double(job.local_epochs) * std::max(as_double(job.rounds), 1.0);
  }
  if (job.rounds == 0) return as_double(job.samples) * as_double(job.epochs);
  if (job.batch == 0) return std::nullopt;
  return batches_of(job) * as_double(job.batch);
}

// `compute.ready` describes a round of all workers: it does not say how long one of them computes.
double seconds_alone(const Scenario& scenario) {
  const Picoseconds per_batch = scenario.time ? scenario.time->compute : scenario.compute.per_batch;
  if (per_batch == 0) return 0;
  const double batches = batches_of(scenario.job);
  // Servers update the weights for the workers; a worker alone updates them itself.
  const bool is_updated_by_server =
      scenario.job.strategy == plan::Strategy::kParameterServer && !scenario.time && !scenario.job.federated;
  const double updates = is_updated_by_server ? std::ceil(batches / as_double(scenario.job.local_steps)) : 0;
  return batches * in_seconds(per_batch) + updates * in_seconds(scenario.server.update);
}

}  // namespace

Speedup speedup_of(const Scenario& scenario, double total_s) {
  Speedup speedup;
  if (total_s <= 0) return speedup;
  if (const double alone = seconds_alone(scenario); alone > 0) {
    speedup.one_worker_s = alone;
    speedup.factor = alone / total_s;
    speedup.efficiency = *speedup.factor / scenario.job.workers;
  }
  if (const std::optional<double> samples = samples_of(scenario.job)) {
    speedup.samples_per_s = *samples / total_s;
  }
  return speedup;
}

}  // namespace trireme::sim
