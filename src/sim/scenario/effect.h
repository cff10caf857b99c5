// Which keys of a scenario were set for nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/scenario/load_scenario.h"

namespace trireme::sim {

/// Each number that was set is doubled and halved, by itself: those for which the outcome stays the same are
/// named. What cannot be doubled, as no such scenario is allowed, has an effect.
[[nodiscard]] std::vector<std::string> keys_without_effect(
    const ScenarioInputs& inputs, const LoadedScenario& loaded,
    const std::function<std::string(const Scenario&)>& outcome);

}  // namespace trireme::sim
