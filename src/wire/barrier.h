// All nodes of a wire meet.
#pragma once

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme {

/// Returns when all nodes have called it. Messages that it needs belong to no exchange. Throws `Error` as
/// `Wire::wait` does.
void barrier(Wire& wire, const Deadline& deadline);

}  // namespace trireme
