// The smallest words that every layer shares; the first of them users share too.
#pragma once

#include <trireme/types.h>

#include <cstddef>

namespace trireme {

/// A rank, step or element number as an index. They are signed because differences and "before the first" are
/// normal.
template <typename Integer>
[[nodiscard]] constexpr std::size_t idx(Integer number) {
  return static_cast<std::size_t>(number);
}

}  // namespace trireme
