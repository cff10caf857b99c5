// Direct: everybody sends chunk k straight to the node at position k, which adds it up and sends the sum
// straight back. Two steps, 2n(n−1) messages of p/n.
#pragma once

#include "plan/plan.h"

namespace trireme {

[[nodiscard]] Program direct(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
