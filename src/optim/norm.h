// The norm of all gradients together, and clipping by it, with the same bits wherever the buffers are cut.
//
// A buffer consists of blocks of 4,096 elements, the last of which may be shorter. A block's sum of squares
// is made in double, in an order of its own: 16 sums of every sixteenth element, which are then added up in
// pairs of neighbours, four times. The norm adds up the sums of the blocks one after the other.
#pragma once

#include <cstdint>
#include <span>

namespace trireme::optim {

inline constexpr std::int64_t kNormBlock = 4096;

/// How many blocks a buffer, or a range of whole blocks, consists of.
[[nodiscard]] constexpr std::int64_t norm_blocks(std::int64_t elements) {
  return (elements + kNormBlock - 1) / kNormBlock;
}

/// The sum of squares of each block of a range. The range begins at a multiple of 4,096 elements of its
/// buffer and ends at one, or with the buffer; `sums` has room for `norm_blocks` of it.
void sum_squares(std::span<const float> range, std::span<double> sums);

/// The norm, from the sums of all blocks of all buffers in their order.
[[nodiscard]] double norm_of(std::span<const double> block_sums);

/// What to multiply gradients by so that their norm is at most about `max_norm`, as
/// torch.nn.utils.clip_grad_norm_ does: max_norm / (norm + 1e-6), at most 1. Computed in double and rounded
/// once; PyTorch computes it in float32 and may differ in the last bits. A norm that is no number gives a
/// factor that is none, and an infinite norm gives 0. Throws `Error` unless `max_norm` is positive.
[[nodiscard]] float clip_factor(double norm, double max_norm);

/// Multiplies every element, in float32; a factor of 1 touches nothing.
void scale(std::span<float> values, float factor);

}  // namespace trireme::optim
