// Ranges of the exchanged buffer, and the rule that cuts it into chunks.
#pragma once

#include <cstdint>

namespace trireme::plan {

/// Elements [first, first + count) of the exchanged buffer.
struct Slice {
  std::int64_t first = 0;
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t end() const { return first + count; }
  [[nodiscard]] bool empty() const { return count == 0; }
  friend bool operator==(const Slice&, const Slice&) = default;
};

[[nodiscard]] inline bool overlap(const Slice& a, const Slice& b) {
  return a.first < b.end() && b.first < a.end() && !a.empty() && !b.empty();
}

/// ⌊k·p/n⌋ without overflow: the first element of chunk k of p elements over n.
[[nodiscard]] inline std::int64_t chunk_border(std::int64_t k, std::int64_t p, std::int64_t n) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(k, p, &product)) return product / n;  // four times as fast, and usual
  return static_cast<std::int64_t>(static_cast<__int128>(k) * p / n);
}

/// Chunks `first` up to but not including `last` of p elements over n: always one contiguous range.
[[nodiscard]] inline Slice chunks(std::int64_t first, std::int64_t last, std::int64_t p, std::int64_t n) {
  const std::int64_t begin = chunk_border(first, p, n);
  return {begin, chunk_border(last, p, n) - begin};
}

[[nodiscard]] inline Slice chunk(std::int64_t k, std::int64_t p, std::int64_t n) {
  return chunks(k, k + 1, p, n);
}

/// The number of the chunk that contains element e: the largest non-empty k with border(k) ≤ e.
[[nodiscard]] inline std::int64_t chunk_of(std::int64_t e, std::int64_t p, std::int64_t n) {
  // border(k) ≤ e  ⇔  k·p < (e + 1)·n  ⇔  k ≤ ((e + 1)·n − 1) / p
  return static_cast<std::int64_t>((static_cast<__int128>(e + 1) * n - 1) / p);
}

}  // namespace trireme::plan
