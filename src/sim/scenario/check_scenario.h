// What must go together in a scenario, beyond the range of each of its keys.
#pragma once

#include "config/key_table.h"
#include "sim/model/scenario.h"

namespace trireme::sim {

/// Throws `Error` (bad input) that names the keys at odds, and where each was set.
void check(const Scenario& scenario, const config::Sources& sources);

}  // namespace trireme::sim
