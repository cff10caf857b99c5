#include "optim/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/error.h"
#include "base/types.h"
#include "optim/block_sum.h"

namespace trireme::optim {
namespace {

// The square of a float32 is exact in double, so fusing it with the addition changes nothing.
double square(float value) { return static_cast<double>(value) * static_cast<double>(value); }

}  // namespace

void sum_squares(std::span<const float> range, std::span<double> sums) {
  assert(sums.size() == idx(norm_blocks(static_cast<std::int64_t>(range.size()))));
  constexpr std::size_t kBlock = kSumBlock;
  for (std::size_t block = 0; block < sums.size(); ++block) {
    sums[block] = sum_of_block(block * kBlock, std::min(range.size(), (block + 1) * kBlock),
                               [&](std::size_t i) { return square(range[i]); });
  }
}

double norm_of(std::span<const double> block_sums) {
  double sum = 0;
  for (const double block_sum : block_sums) sum += block_sum;
  return std::sqrt(sum);
}

float clip_factor(double norm, double max_norm) {
  if (!(max_norm > 0)) {
    throw bad_input(fmt::format("gradients are to be clipped to a norm of {}", max_norm),
                    "it must be a positive number");
  }
  const double factor = max_norm / (norm + 1e-6);
  return factor > 1 ? 1.0F : static_cast<float>(factor);
}

void scale(std::span<float> values, float factor) {
  if (factor == 1) return;
  for (float& value : values) value *= factor;
}

}  // namespace trireme::optim
