// Recursive doubling: in step j neighbours at distance 2^j exchange all they have. ⌊lg n⌋ steps of m messages
// of p, with m the largest power of two ≤ n; two more steps and 2(n−m) more messages when n is none.
#pragma once

#include "plan/plan.h"

namespace trireme {

[[nodiscard]] Program recursive_doubling(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
