#include "sim/model/compute_time.h"

#include <algorithm>
#include <cmath>

#include "base/random_stream.h"
#include "sim/model/ceil_div.h"

namespace trireme::sim {
namespace {

// A random number with mean 1, at least 0.
double spread_factor(const Scenario& scenario, Rank worker, std::int64_t round) {
  const Scenario::Compute& compute = scenario.compute;
  if (compute.spread == Spread::kNone) return 1;
  RandomStream stream(static_cast<std::uint64_t>(scenario.job.seed), "compute", worker, round);
  switch (compute.spread) {
    case Spread::kNone:
      return 1;
    case Spread::kNormal:
      return std::max(0.0, 1 + compute.deviation * stream.normal());
    case Spread::kLognormal: {
      const double variance = std::log1p(compute.deviation * compute.deviation);
      return std::exp(std::sqrt(variance) * stream.normal() - variance / 2);
    }
    case Spread::kExponential:
      return -std::log1p(-stream.uniform());
  }
  return 1;
}

double sharing_factor(const Scenario& scenario) {
  const Scenario::Host& host = scenario.host;
  if (host.cores == 0 || scenario.network.topology != Topology::kHosts) return 1;
  return std::max(1.0, static_cast<double>(std::min(host.workers, scenario.job.workers)) / host.cores);
}

[[noreturn]] void refuse() { refuse_as_too_long("what a worker computes in a round", kLongestComputation); }

std::int64_t batches_in_a_round(const Scenario::Job& job) {
  return job.federated ? local_batches(job) : job.local_steps;
}

Picoseconds of_batches(Picoseconds each, const Scenario::Job& job) {
  Picoseconds all = 0;
  if (__builtin_mul_overflow(each, batches_in_a_round(job), &all) || all > kLongestComputation) refuse();
  return all;
}

Picoseconds stretched(const Scenario& scenario, Picoseconds usual, Rank worker, std::int64_t round) {
  const std::vector<double>& factors = scenario.compute.factors;
  double factor = sharing_factor(scenario) * spread_factor(scenario, worker, round);
  if (idx(worker) < factors.size()) factor *= factors[idx(worker)];
  // A double is exact for whole picoseconds only up to two hours, so a time without a factor is returned as
  // it is.
  if (factor == 1) return usual;
  const double time = static_cast<double>(usual) * factor;
  if (time > static_cast<double>(kLongestComputation)) refuse();
  return static_cast<Picoseconds>(std::llround(time));
}

}  // namespace

std::int64_t local_batches(const Scenario::Job& job) {
  return ceil_div(ceil_div(job.samples, job.workers) * job.local_epochs, job.batch);
}

Picoseconds compute_time(const Scenario& scenario, Rank worker, std::int64_t round) {
  const Scenario::Compute& compute = scenario.compute;
  const Picoseconds usual = compute.ready > 0 ? compute.ready : of_batches(compute.per_batch, scenario.job);
  return stretched(scenario, usual, worker, round);
}

double slowest_factor(const Scenario& scenario) {
  const std::vector<double>& factors = scenario.compute.factors;
  if (factors.empty()) return 1;
  const double slowest = *std::max_element(factors.begin(), factors.end());
  return std::ssize(factors) < scenario.job.workers ? std::max(slowest, 1.0) : slowest;
}

Picoseconds phase_compute_time(const Scenario& scenario, Rank worker, std::int64_t round) {
  return stretched(scenario, of_batches(scenario.time->compute, scenario.job), worker, round);
}

Picoseconds bucket_ready(const Scenario& scenario, Picoseconds computation, std::int32_t bucket) {
  if (!scenario.job.overlap || bucket == scenario.job.buckets - 1) return computation;
  const double backward = static_cast<double>(computation) * scenario.compute.backward;
  const double left = static_cast<double>(scenario.job.buckets - 1 - bucket) / scenario.job.buckets;
  return computation - static_cast<Picoseconds>(std::llround(backward * left));
}

}  // namespace trireme::sim
