// What all nodes of a job have sent.
#pragma once

#include <trireme/torch.h>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::libtorch {

/// *Together.* All nodes' added up; of rounds and times the most.
[[nodiscard]] Exchange::Traffic sum_of_traffic(wire::Wire& wire, const Exchange::Traffic& own,
                                               const Deadline& deadline);

}  // namespace trireme::libtorch
