// Collective operations outside of any exchange: nodes tell each other a few bytes, or wait for each other.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme::wire {

/// Collects every node's note, by rank: all nodes call it together with notes of the same length. It uses
/// messages that belong to no exchange (up to 8 nodes send to each other; with more, node 0 collects and
/// distributes, in 2(n−1) messages), or shared memory if the wire has it. Errors name `purpose`: "agreeing on
/// a window". Throws `Error` like `Wire::wait`, after leaving the wire.
[[nodiscard]] std::vector<std::byte> share_notes(Wire& wire, std::span<const std::byte> note,
                                                 std::string_view purpose, const Deadline& deadline);

/// Returns when all nodes have called it. Throws like `share_notes`.
void barrier(Wire& wire, const Deadline& deadline);

}  // namespace trireme::wire
