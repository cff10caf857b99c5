// Sums in double whose bits depend only on the terms and their number: blocks of 4,096 terms, each as 16 sums
// of every sixteenth term, which are then added in pairs of neighbours, four times; then block after block.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace trireme::optim {

inline constexpr std::size_t kSumBlock = 4096;

/// term(first) + … + term(end − 1), of at most one block.
template <typename Term>
[[nodiscard]] double sum_of_block(std::size_t first, std::size_t end, Term term) {
  constexpr std::size_t kLanes = 16;
  std::array<double, kLanes> sums{};
  std::size_t at = first;
  for (; at + kLanes <= end; at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(at + lane);
  }
  for (std::size_t lane = 0; at + lane < end; ++lane) sums[lane] += term(at + lane);
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] = sums[2 * lane] + sums[2 * lane + 1];
  }
  return sums[0];
}

/// term(0) + … + term(count − 1).
template <typename Term>
[[nodiscard]] double sum_of(std::size_t count, Term term) {
  double sum = 0;
  for (std::size_t first = 0; first < count; first += kSumBlock)
    sum += sum_of_block(first, std::min(count, first + kSumBlock), term);
  return sum;
}

}  // namespace trireme::optim
