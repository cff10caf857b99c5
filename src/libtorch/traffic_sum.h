// Adds up the traffic of all nodes of a job.
#pragma once

#include <trireme/torch.h>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::libtorch {

/// *Together.* Messages and bytes are sums over all nodes, rounds and times the largest of them.
[[nodiscard]] Exchange::Traffic sum_of_traffic(wire::Wire& wire, const Exchange::Traffic& own,
                                               const Deadline& deadline);

}  // namespace trireme::libtorch
