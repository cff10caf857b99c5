// Finds messages that a plan has twice, the most common result of a mistake in a strategy.
#pragma once

#include "plan/plan.h"
#include "plan/verifier/problem.h"

namespace trireme::plan::verifier {

/// Reports every message with the same sender, receiver, slice and action as an earlier one. A right plan
/// could have such messages if the data sent changed in between, so call this only for a plan that is known
/// to be wrong.
void report_doubled_messages(const Plan& plan, Problems& problems);

}  // namespace trireme::plan::verifier
