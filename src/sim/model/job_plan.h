// The plan of the exchanges of a job that is to be predicted.
#pragma once

#include "plan/plan.h"
#include "sim/model/scenario.h"

namespace trireme::sim {

/// Of one bucket, by any strategy: servers as the scenario has them, hosts for hierarchical where it has them
/// (else one worker each). Throws `Error` (bad input) where the numbers do not fit together.
[[nodiscard]] plan::PlanSpec plan_of(const Scenario& scenario, plan::Strategy strategy);
[[nodiscard]] inline plan::PlanSpec plan_of(const Scenario& scenario) {
  return plan_of(scenario, scenario.job.strategy);
}

/// Whether all nodes do the same at the same time, each with its own peers: they are identical, and the plan
/// looks the same from each of them. Then one stands for all.
[[nodiscard]] bool is_symmetric(const Scenario& scenario, const plan::PlanSpec& spec);

}  // namespace trireme::sim
