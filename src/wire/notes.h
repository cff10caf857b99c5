// Before nodes do something together they tell each other what they are about to do, and compare.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "wire/wire.h"

namespace trireme {

/// Every node's note, by rank: all nodes call it together with notes of the same length. Through the stages
/// where the wire has windows; else by messages that belong to no exchange: up to 8 nodes tell each other, of
/// more node 0 collects and tells, in 2(n−1) messages. `purpose` is said in errors: "agreeing on a window".
[[nodiscard]] std::vector<std::byte> share_notes(Wire& wire, std::span<const std::byte> note,
                                                 std::string_view purpose, const Deadline& deadline);

}  // namespace trireme
