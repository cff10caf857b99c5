// Finds the keys of a scenario that were set without effect.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/scenario/load_scenario.h"

namespace trireme::sim {

/// Doubles and halves each number that was set, one at a time, and names those for which the outcome stays
/// the same. A number that cannot be doubled, because no such scenario is allowed, counts as having an
/// effect.
[[nodiscard]] std::vector<std::string> keys_without_effect(
    const LoadedScenario& loaded, const std::function<std::string(const Scenario&)>& outcome);

}  // namespace trireme::sim
