// The arithmetic of an exchange on flat memory: add one, add up many, divide. Vectorized for the processor at
// hand.
//
// The result depends on the operands and the order of addition alone: not on the processor, on alignment, on
// where a range is cut, or on whether an element lies in a vector's body or in its tail. Pointers need no
// alignment. Integer sums wrap. 16-bit types are added in float32 and rounded once per call, to nearest even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/kernels/element_type.h"
#include "wire/wire.h"

namespace trireme::exec {

/// The `Combine` that adds: into = into + from.
[[nodiscard]] wire::Combine add_kernel(ElementType type);

/// each target = (((s0 + s1) + s2) + …) / divisor over `count` elements, in one pass: what `divide` would
/// make of the stored sum. At least one source; a target may be one of them, but must not overlap one
/// otherwise. Integers have sums alone, so their divisor is 1.
void fold(ElementType type, std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
          std::int64_t count, std::int64_t divisor = 1);

/// One IEEE division of each element. Throws `Error` for integers, which have no average.
void divide(ElementType type, std::byte* data, std::int64_t count, std::int64_t divisor);

}  // namespace trireme::exec
