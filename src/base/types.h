// The basic types that every layer shares; the first of them are shared with users too.
#pragma once

#include <trireme/types.h>

#include <cstddef>

namespace trireme {

/// A rank, step or element number as an index. These numbers are signed because differences and "before the
/// first" are normal values.
template <typename Integer>
[[nodiscard]] constexpr std::size_t idx(Integer number) {
  return static_cast<std::size_t>(number);
}

}  // namespace trireme
