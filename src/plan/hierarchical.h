// Hierarchical: inside each host every worker adds up its part of the buffer (directly), then the workers
// with the same part on all hosts pass it around a ring, then it is shared inside each host. Only 2(H−1)/H of
// the buffer leaves a host.
#pragma once

#include "plan/plan.h"

namespace trireme {

[[nodiscard]] Program hierarchical(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
