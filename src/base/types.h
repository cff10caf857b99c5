// The smallest words that every layer shares.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trireme {

/// A node's number. Workers come first (0 … n−1), dedicated servers after them.
using Rank = std::int32_t;

/// The name of one transfer, the same at both of its ends, in a plan, on a wire and in a trace.
using OpId = std::int64_t;

/// A rank, step or element number as an index. They are signed because differences and "before the first" are
/// normal.
template <typename Integer>
[[nodiscard]] constexpr std::size_t idx(Integer number) {
  return static_cast<std::size_t>(number);
}

}  // namespace trireme
