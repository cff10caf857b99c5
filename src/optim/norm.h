// The norm of all gradients together, and clipping by it. The bits do not depend on where the buffers are
// cut.
//
// A buffer consists of blocks of 4,096 elements; the last one may be shorter. `block_sum.h` says in which
// order the squares of a block are added. The norm adds the sums of the blocks one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "optim/block_sum.h"

namespace trireme::optim {

inline constexpr std::int64_t kNormBlock = kSumBlock;

/// The number of blocks in a buffer, or in a range of whole blocks.
[[nodiscard]] constexpr std::int64_t norm_blocks(std::int64_t elements) {
  return (elements + kNormBlock - 1) / kNormBlock;
}

/// Computes the sum of squares of each block of a range. The range begins at a multiple of 4,096 elements of
/// its buffer and ends at one or at the buffer's end; `sums` must hold `norm_blocks` of it.
void sum_squares(std::span<const float> range, std::span<double> sums);

/// The norm, from the sums of all blocks of all buffers in order.
[[nodiscard]] double norm_of(std::span<const double> block_sums);

/// The factor that limits the norm of the gradients to about `max_norm`, as torch.nn.utils.clip_grad_norm_
/// computes it: max_norm / (norm + 1e-6), at most 1. Computed in double and rounded once; PyTorch computes it
/// in float32 and may differ in the last bits. A NaN norm gives a NaN factor, and an infinite norm gives 0.
/// Throws `Error` unless `max_norm` is positive.
[[nodiscard]] float clip_factor(double norm, double max_norm);

/// Multiplies every element, in float32; a factor of 1 changes nothing.
void scale(std::span<float> values, float factor);

}  // namespace trireme::optim
