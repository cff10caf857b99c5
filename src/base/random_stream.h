// All random numbers of a job. They come from one seed that the user gives, through independent streams, and
// are the same bits on every machine: the distributions and the mathematics of the standard library are not
// used, because they differ between implementations.
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

/// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011). Each
/// key maps counters to blocks one to one.
[[nodiscard]] PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

/// Random numbers for one purpose, rank and step of a job. A copy continues with the same numbers,
/// independently of the original. Two threads must not use one stream at the same time.
///
/// A stream is derived like this: let h be the 32-bit FNV-1a hash of the purpose's bytes and k the seed, low
/// word first. Then philox({step low, step high, rank, h}, k) = {a, b, c, d}, and the stream is the words of
/// philox({i low, i high, c, d}, {a, b}) for i = 0, 1, 2, … So with one seed no two streams are the same,
/// unless their purposes have the same hash.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose, Rank rank = 0, std::int64_t step = 0);

  [[nodiscard]] std::uint32_t next_32();

  /// Two words, the low one first.
  [[nodiscard]] std::uint64_t next_64();

  /// A multiple of 2⁻⁵³ in [0, 1): the high 53 bits of `next_64`.
  [[nodiscard]] double uniform();

  /// A number in 0 … n−1, all with exactly the same probability; n is at least 1. Uses Lemire's
  /// multiplication of `next_64` by n, which draws again in the cases, at most n of 2⁶⁴, that would favour
  /// some numbers.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

  /// A number from the normal distribution of mean 0 and variance 1, by Marsaglia's polar method. Numbers
  /// come in pairs, so every second call draws nothing. Uses only +, −, ×, ÷ and √, for which IEEE 754 allows
  /// one result.
  [[nodiscard]] double normal();

 private:
  PhiloxKey key_{};
  PhiloxBlock counter_{};  // the counter of the next block
  PhiloxBlock block_{};
  std::size_t taken_ = 4;         // words of `block_` that were used
  std::optional<double> second_;  // the second of a pair of normal numbers
};

/// 0 … n−1 in random order, each order as likely as the others: Fisher and Yates' shuffle from the last
/// element down, with `stream.below`.
[[nodiscard]] std::vector<std::int64_t> permutation(std::int64_t n, RandomStream& stream);

}  // namespace trireme
