// Ring: n−1 reducing steps, after which the node at position k−1 holds the whole sum of chunk k, then n−1
// sharing steps. 2n(n−1) messages of p/n. The node at position k sends chunk k first.
#pragma once

#include "plan/plan.h"

namespace trireme {

[[nodiscard]] Program ring(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
