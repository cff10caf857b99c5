// How long an exchange takes by formula, where every node has a card of its own behind a switch.
#pragma once

#include "plan/plan.h"
#include "sim/costs.h"
#include "sim/time.h"

namespace trireme {

/// From the beginning, which is the same for all nodes, to the end of the last one. `at_holder`: what whoever
/// holds a share of the weights does with it before handing it out.
///
/// It is what the event loop finds, to the picosecond, where `is_exact`. Elsewhere it is near: parts are
/// taken to be as large as the largest one, everybody to wait for the slowest after each step, and nobody to
/// be in another's way by being early.
[[nodiscard]] Picoseconds exchange_time(const PlanSpec& spec, const Costs& costs, Picoseconds at_holder = 0);

/// Equal parts for all: n divides p; the number of shares divides n; for the doubling strategies and the tree
/// n is a power of two.
[[nodiscard]] bool is_exact(const PlanSpec& spec);

}  // namespace trireme
