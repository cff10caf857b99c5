// Shared by the tests of this folder: numbers that are the same everywhere, and comparison by bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "optim/reach.h"

namespace trireme::optim {

/// The rules that update a weight without a look at others.
inline std::vector<RuleKind> elementwise_kinds() {
  std::vector<RuleKind> kinds;
  for (const RuleKind kind : all_rule_kinds()) {
    if (reach({.kind = kind}, {1, 1, true}) == Reach::kElement) kinds.push_back(kind);
  }
  return kinds;
}

/// Numbers in [−1, 1) with random exponents, so that every operation on them rounds.
inline std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    std::uint64_t z = (seed += 0x9E3779B97F4A7C15u);  // splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    const double unit = static_cast<double>(static_cast<std::int64_t>(z)) * 0x1p-63;
    value = static_cast<float>(std::ldexp(unit, -static_cast<int>(z % 12)));
  }
  return values;
}

/// Bits, so that −0 differs from 0 and a difference in the last bit is seen.
inline std::vector<std::uint32_t> bits_of(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

}  // namespace trireme::optim
