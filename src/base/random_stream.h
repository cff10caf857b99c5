// All random numbers of a job. They come from one seed of the user's, through streams that know nothing of
// each other, and are the same bits on every machine: neither the standard library's distributions nor its
// mathematics are asked, both differ from one to the next.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace trireme {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011). For
/// each key it maps counters to blocks one to one.
[[nodiscard]] PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

/// Numbers for one purpose, rank and step of a job. Copies go on alike and apart. Not for two threads at
/// once.
///
/// How a stream is derived: let h be the 32-bit FNV-1a hash of the purpose's bytes and k the seed, low word
/// first. Then philox({step low, step high, rank, h}, k) = {a, b, c, d}, and the stream is the words of
/// philox({i low, i high, c, d}, {a, b}) for i = 0, 1, 2, … So with one seed no two streams are the same,
/// unless their purposes have the same hash.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose, Rank rank = 0, std::int64_t step = 0);

  [[nodiscard]] std::uint32_t next_32();

  /// Two words, low one first.
  [[nodiscard]] std::uint64_t next_64();

  /// From [0, 1), a multiple of 2⁻⁵³: the high 53 bits of `next_64`.
  [[nodiscard]] double uniform();

  /// From 0 … n−1, each exactly as likely as the others; n is at least 1. Lemire's multiplication of
  /// `next_64` by n, which draws again in the n of 2⁶⁴ cases at most that would favour some.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

  /// From the normal distribution of mean 0 and variance 1, by Marsaglia's polar method. Numbers come in
  /// pairs: every second call draws nothing. Only +, −, ×, ÷ and √ are used, which IEEE 754 rounds in one
  /// way.
  [[nodiscard]] double normal();

 private:
  PhiloxKey key_{};
  PhiloxBlock counter_{};  // of the next block
  PhiloxBlock block_{};
  std::size_t taken_ = 4;         // words of `block_` that were handed out
  std::optional<double> second_;  // of a pair of normal numbers
};

/// 0 … n−1 in random order, each order as likely as the others: Fisher and Yates' shuffle from the last
/// element down, with `stream.below`.
[[nodiscard]] std::vector<std::int64_t> permutation(std::int64_t n, RandomStream& stream);

}  // namespace trireme
