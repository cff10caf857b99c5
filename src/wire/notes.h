// What nodes do together outside of any exchange: they tell each other a few bytes, or wait for each other.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::wire {

/// Every node's note, by rank: all nodes call it together with notes of the same length. By messages that
/// belong to no exchange (up to 8 nodes tell each other; of more, node 0 collects and tells, in 2(n−1)
/// messages), or through shared memory where the wire has it. `purpose` is said in errors: "agreeing on a
/// window". Throws `Error` as `Wire::wait` does, and the wire is left then.
[[nodiscard]] std::vector<std::byte> share_notes(Wire& wire, std::span<const std::byte> note,
                                                 std::string_view purpose, const Deadline& deadline);

/// Returns when all nodes have called it. Throws as `share_notes` does.
void barrier(Wire& wire, const Deadline& deadline);

}  // namespace trireme::wire
