// Is a plan right? Found out by running it on symbols, not by trusting the function that made it.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/plan.h"
#include "plan/verifier/problem.h"

namespace trireme::plan::verifier {

/// Empty when the plan is right:
/// - every send has its receive and both ends say the same; no id is used twice;
/// - no node waits forever, neither when a send completes only with its receive posted nor when each pair of
/// nodes can
///   hold one message under way;
/// - nothing is written while it is being sent, written twice in a step, or read before it was written;
/// - every worker's contribution is in every element of every worker's result exactly once, added in the
/// promised order
///   (`promised_sum`), and completed exactly once;
/// - nothing is superfluous: whatever is received or folded is read, or is part of a result, and changes
/// something.
///
/// Work and memory are proportional to the number of ops, not to the number of elements.
[[nodiscard]] std::vector<Problem> verify(const Plan& plan, std::size_t at_most = 20);

}  // namespace trireme::plan::verifier
