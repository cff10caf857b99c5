// Tree: up a binomial tree to rank 0, adding, and down again, copying. 2⌈lg n⌉ steps, 2(n−1) messages of p:
// the fewest messages possible.
#pragma once

#include "plan/plan.h"

namespace trireme {

/// ⌈lg n⌉: the steps up, and the steps down.
[[nodiscard]] std::int32_t tree_height(Rank workers);

[[nodiscard]] Program tree(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
