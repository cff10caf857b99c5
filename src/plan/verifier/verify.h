// Checks whether a plan is right by running it on symbols, without trusting the function that made it.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/plan.h"
#include "plan/verifier/problem.h"

namespace trireme::plan::verifier {

/// Empty if the plan is right:
/// - every send has its receive and both ends agree; no id is used twice;
/// - no node waits forever, neither if a send completes only when its receive is posted nor if one message
///   can be under way between each pair of nodes;
/// - nothing is written while it is being sent, written twice in a step, or read before it was written;
/// - every node ends with what it must hold (`holdings`): in an element of a sum every worker's contribution
///   exactly once, added in the promised order, and completed exactly once; elsewhere the contribution of the
///   right worker, unchanged (`promised_in`);
/// - nothing is superfluous: everything that is received or folded is read, or is part of a result, and
///   changes something.
///
/// Work and memory are proportional to the number of ops, not to the number of elements.
[[nodiscard]] std::vector<Problem> verify(const Plan& plan, std::size_t at_most = 20);

}  // namespace trireme::plan::verifier
