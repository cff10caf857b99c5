// Halving-doubling: neighbours at distance 1, 2, 4, … give each other half of what they still answer for and
// add; then the way back, sharing. 2·lg m steps with m the largest power of two ≤ n; two more when n is none.
#pragma once

#include "plan/plan.h"

namespace trireme {

[[nodiscard]] Program halving_doubling(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
