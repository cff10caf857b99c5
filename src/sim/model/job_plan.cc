#include "sim/model/job_plan.h"

#include <bit>

#include "plan/strategies/strategies.h"

namespace trireme::sim {
namespace {

bool workers_are_identical(const Scenario& scenario) {
  const Scenario::Compute& compute = scenario.compute;
  return compute.spread == Spread::kNone && compute.factors.empty() && compute.starts.empty();
}

bool is_power_of_two(std::int32_t number) { return std::has_single_bit(static_cast<std::uint32_t>(number)); }

}  // namespace

plan::PlanSpec plan_of(const Scenario& scenario, plan::Strategy strategy) {
  plan::PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = scenario.job.workers;
  // Buckets differ by at most one element; the largest one decides.
  spec.parameters = (scenario.model.parameters + scenario.job.buckets - 1) / scenario.job.buckets;
  if (strategy == plan::Strategy::kParameterServer) {
    (scenario.server.on_workers ? spec.shares_on_workers : spec.servers) = scenario.server.count;
  }
  if (strategy == plan::Strategy::kHierarchical) spec.hosts = spec.workers / scenario.host.workers;
  plan::check(spec);
  return spec;
}

bool is_symmetric(const Scenario& scenario, const plan::PlanSpec& spec) {
  if (!workers_are_identical(scenario) || scenario.network.topology != Topology::kSwitch) return false;
  if (spec.parameters % spec.workers != 0) return false;  // chunks differ
  switch (spec.strategy) {
    case plan::Strategy::kAllToAll:
    case plan::Strategy::kRing:
    case plan::Strategy::kDirect:
    case plan::Strategy::kHierarchical:
      return true;
    case plan::Strategy::kRecursiveDoubling:
    case plan::Strategy::kHalvingDoubling:
      return is_power_of_two(spec.workers);
    case plan::Strategy::kParameterServer:
      return spec.shares_on_workers == spec.workers;
    case plan::Strategy::kTree:
    case plan::Strategy::kStar:
      return false;
  }
  return false;
}

}  // namespace trireme::sim
