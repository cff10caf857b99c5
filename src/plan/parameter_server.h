// Parameter server: workers push gradients to whoever holds a share of the parameters; the holder adds them
// up, applies the update rule and sends its share back. Two steps; 2ns messages with s dedicated servers,
// 2s(n−1) with s shares living on workers.
#pragma once

#include "plan/plan.h"

namespace trireme {

[[nodiscard]] Program parameter_server(const PlanSpec& spec, Rank node, const StepWindow& window);

}  // namespace trireme
