#include "optim/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "base/error.h"
#include "base/types.h"

namespace trireme::optim {
namespace {

constexpr std::size_t kLanes = 16;

// The square of a float32 is exact in double, so fusing it with the addition changes nothing.
double square(float value) { return static_cast<double>(value) * static_cast<double>(value); }

double sum_of_block(std::span<const float> block) {
  std::array<double, kLanes> sums{};
  std::size_t at = 0;
  for (; at + kLanes <= block.size(); at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += square(block[at + lane]);
  }
  for (std::size_t lane = 0; at + lane < block.size(); ++lane) sums[lane] += square(block[at + lane]);
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] = sums[2 * lane] + sums[2 * lane + 1];
  }
  return sums[0];
}

}  // namespace

void sum_squares(std::span<const float> range, std::span<double> sums) {
  assert(sums.size() == idx(norm_blocks(static_cast<std::int64_t>(range.size()))));
  constexpr std::size_t kBlock = idx(kNormBlock);
  for (std::size_t block = 0; block < sums.size(); ++block) {
    const std::size_t begin = block * kBlock;
    sums[block] = sum_of_block(range.subspan(begin, std::min(kBlock, range.size() - begin)));
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
