// A buffer, or a stretch of it, cut into parts of some consecutive chunks each. Also finds the next non-empty
// part: many parts are empty when there are more chunks than elements.
#pragma once

#include <optional>

#include "base/types.h"
#include "plan/ring_order.h"
#include "plan/slice.h"

namespace trireme::plan {

/// Part k, 0 ≤ k < count: chunks [first + k·per_part, first + (k+1)·per_part) of p elements over n. With an
/// order, part k has the number of the rank at position k.
struct Parts {
  std::int64_t p = 0;
  std::int64_t n = 1;
  Rank count = 1;
  std::int64_t first = 0;
  std::int64_t per_part = 1;
  const RingOrder* order = nullptr;

  [[nodiscard]] Rank number_of(Rank k) const { return order == nullptr ? k : order->rank_at(k); }

  /// Where part k begins and the part before it ends, without an order; k may be `count`.
  [[nodiscard]] std::int64_t begin_of(Rank k) const { return chunk_border(first + k * per_part, p, n); }

  [[nodiscard]] Slice of(Rank k) const {
    const Rank number = number_of(k);
    const std::int64_t begin = begin_of(number);
    return {begin, begin_of(number + 1) - begin};
  }

  [[nodiscard]] bool none_is_empty() const { return p >= n; }

  /// The last part up to k that is not empty.
  [[nodiscard]] std::optional<Rank> at_or_before(Rank k) const {
    if (none_is_empty() && k >= 0) return k;
    if (order != nullptr) {
      while (k >= 0 && of(k).empty()) --k;
      return k >= 0 ? std::optional(k) : std::nullopt;
    }
    const std::int64_t end = chunk_border(first + (k + 1) * per_part, p, n);
    if (k < 0 || end == chunk_border(first, p, n)) return std::nullopt;
    return static_cast<Rank>((chunk_of(end - 1, p, n) - first) / per_part);
  }

  /// The first part from k on that is not empty.
  [[nodiscard]] std::optional<Rank> at_or_after(Rank k) const {
    if (none_is_empty() && k < count) return k;
    if (order != nullptr) {
      while (k < count && of(k).empty()) ++k;
      return k < count ? std::optional(k) : std::nullopt;
    }
    const std::int64_t begin = chunk_border(first + k * per_part, p, n);
    if (k >= count || begin == chunk_border(first + count * per_part, p, n)) return std::nullopt;
    return static_cast<Rank>((chunk_of(begin, p, n) - first) / per_part);
  }
};

}  // namespace trireme::plan
