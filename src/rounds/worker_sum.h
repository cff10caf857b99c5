// A few numbers added up over the workers, with the same bits on every node.
#pragma once

#include <span>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::rounds {

/// *Together.* In the order of ranks, over the first `workers` nodes; the numbers of others do not count.
void sum_over_workers(wire::Wire& wire, Rank workers, std::span<double> numbers, const Deadline& deadline);

}  // namespace trireme::rounds
