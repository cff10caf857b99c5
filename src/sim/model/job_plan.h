// The plan of the exchanges of a predicted job.
#pragma once

#include "plan/plan.h"
#include "sim/model/scenario.h"

namespace trireme::sim {

/// The plan of one bucket, with any strategy: servers as in the scenario; hosts, for hierarchical, as in the
/// scenario (if it has none, one worker each). Throws `Error` (bad input) if the numbers do not fit together.
[[nodiscard]] plan::PlanSpec plan_of(const Scenario& scenario, plan::Strategy strategy);
[[nodiscard]] inline plan::PlanSpec plan_of(const Scenario& scenario) {
  return plan_of(scenario, scenario.job.strategy);
}

/// Whether all nodes do the same at the same time, each with its own peers: they are identical, and the plan
/// looks the same from each of them. Then one node can represent all.
[[nodiscard]] bool is_symmetric(const Scenario& scenario, const plan::PlanSpec& spec);

}  // namespace trireme::sim
