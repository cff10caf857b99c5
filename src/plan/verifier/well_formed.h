// Checks on each program by itself: that every number in it is in range, and that no step of it hurts itself.
#pragma once

#include "plan/plan.h"
#include "plan/verifier/problem.h"

namespace trireme::plan::verifier {

/// Peers, slices, rooms and sources exist; steps ascend; folds come last in their step. Only if this adds no
/// problem may a plan be looked at any closer.
void check_ranges(const Plan& plan, Problems& problems);

/// In no step is a slice written while it is being sent, or written by two messages.
void check_steps(const Plan& plan, Problems& problems);

}  // namespace trireme::plan::verifier
