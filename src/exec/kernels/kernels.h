// The arithmetic of an exchange on flat memory: combine two, combine many, divide. Vectorized for the
// processor at hand.
//
// The result depends on the operands and their order alone: not on the processor, on alignment, on where a
// range is cut, or on whether an element lies in a vector's body or in its tail. Pointers need no alignment.
// Sums and products of integers wrap. Those of 16-bit types are made in float32 and rounded once per call, to
// nearest even. A minimum or maximum does not even depend on the order. If a sum or product is NaN, which NaN
// it is can depend on the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/kernels/element_type.h"
#include "exec/kernels/reduction.h"
#include "wire/wire.h"

namespace trireme::exec {

/// The `Combine` of this reduction: into = into ∘ from, with ∘ for addition, multiplication, the lesser or
/// the greater of the two.
[[nodiscard]] wire::Combine combine_kernel(ElementType type, Reduction reduction);

/// each target = ((s0 ∘ s1) ∘ s2) ∘ … over `count` elements, in one pass. At least one source; a target may
/// be one of them, but must not overlap one otherwise. The divisor is 1 except for an average: that gives
/// what `divide` would make of the stored sum.
void fold(ElementType type, Reduction reduction, std::span<std::byte* const> targets,
          std::span<const std::byte* const> sources, std::int64_t count, std::int64_t divisor = 1);

/// One IEEE division of each element. Throws `Error` for integers, which have no average.
void divide(ElementType type, std::byte* data, std::int64_t count, std::int64_t divisor);

}  // namespace trireme::exec
