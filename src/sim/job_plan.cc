#include "sim/job_plan.h"

#include <bit>

namespace trireme {
namespace {

bool workers_are_identical(const Scenario& scenario) {
  const Scenario::Compute& compute = scenario.compute;
  return compute.spread == Spread::kNone && compute.factors.empty() && compute.starts.empty();
}

bool is_power_of_two(std::int32_t number) { return std::has_single_bit(static_cast<std::uint32_t>(number)); }

}  // namespace

PlanSpec plan_of(const Scenario& scenario, Strategy strategy) {
  PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = scenario.job.workers;
  // Buckets differ by one element at most; the largest one decides.
  spec.parameters = (scenario.model.parameters + scenario.job.buckets - 1) / scenario.job.buckets;
  if (strategy == Strategy::kParameterServer) {
    (scenario.server.on_workers ? spec.shares_on_workers : spec.servers) = scenario.server.count;
  }
  if (strategy == Strategy::kHierarchical) spec.hosts = spec.workers / scenario.host.workers;
  check(spec);
  return spec;
}

bool is_symmetric(const Scenario& scenario, const PlanSpec& spec) {
  if (!workers_are_identical(scenario) || scenario.network.topology != Topology::kSwitch) return false;
  if (spec.parameters % spec.workers != 0) return false;  // chunks differ
  switch (spec.strategy) {
    case Strategy::kAllToAll:
    case Strategy::kRing:
    case Strategy::kDirect:
    case Strategy::kHierarchical:
      return true;
    case Strategy::kRecursiveDoubling:
    case Strategy::kHalvingDoubling:
      return is_power_of_two(spec.workers);
    case Strategy::kParameterServer:
      return spec.shares_on_workers == spec.workers;
    case Strategy::kTree:
      return false;
  }
  return false;
}

}  // namespace trireme
