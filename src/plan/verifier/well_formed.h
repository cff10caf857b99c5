// Checks each program by itself: every number in it is in range, and no step conflicts with itself.
#pragma once

#include "plan/plan.h"
#include "plan/verifier/problem.h"

namespace trireme::plan::verifier {

/// Checks that peers, slices, rooms and sources exist, steps ascend, and folds come last in their step. A
/// plan may be examined further only if this adds no problem.
void check_ranges(const Plan& plan, Problems& problems);

/// Checks that in no step a slice is written while it is being sent, or written by two messages.
void check_steps(const Plan& plan, Problems& problems);

}  // namespace trireme::plan::verifier
