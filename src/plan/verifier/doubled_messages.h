// Finds messages that a plan has twice: what a mistake in a strategy most often looks like.
#pragma once

#include "plan/plan.h"
#include "plan/verifier/problem.h"

namespace trireme::plan::verifier {

/// Reports every message whose sender, receiver, slice and action are those of an earlier one. A right plan
/// could have such messages, if what is sent has changed in between: ask only about a plan that is known to
/// be wrong.
void report_doubled_messages(const Plan& plan, Problems& problems);

}  // namespace trireme::plan::verifier
