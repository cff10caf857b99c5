// The arguments of a fold, as the kernels of every instruction set get them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace trireme::exec {

struct FoldCall {
  std::span<std::byte* const> targets;
  std::span<const std::byte* const> sources;
  std::size_t bytes = 0;
  std::int64_t divisor = 1;
};

}  // namespace trireme::exec
