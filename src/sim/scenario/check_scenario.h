// Checks that the keys of a scenario fit together, beyond the range of each.
#pragma once

#include "config/key_table.h"
#include "sim/model/scenario.h"

namespace trireme::sim {

/// Throws `Error` (bad input) that names the conflicting keys and where each was set.
void check(const Scenario& scenario, const config::Sources& sources);

}  // namespace trireme::sim
