// All-to-all: every worker gets every gradient whole and adds all of them up by itself. One step, n(n−1)
// messages of p.
#pragma once

#include "plan/plan.h"

namespace trireme {

[[nodiscard]] Program all_to_all(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
