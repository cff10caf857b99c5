// The order of workers in the ring, in which contributions are added too.
#pragma once

#include <vector>

#include "base/types.h"

namespace trireme::plan {

/// A permutation of the workers. The default is the order of ranks, which takes no memory for any number of
/// workers.
class RingOrder {
 public:
  RingOrder() = default;

  /// `ranks[i]` is at position i. Throws `Error` unless every rank 0 … size−1 appears exactly once.
  explicit RingOrder(std::vector<Rank> ranks);

  [[nodiscard]] bool is_default() const { return ranks_.empty(); }
  [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
  [[nodiscard]] Rank rank_at(Rank position) const {
    return ranks_.empty() ? position : ranks_[static_cast<std::size_t>(position)];
  }
  [[nodiscard]] Rank position_of(Rank rank) const {
    return ranks_.empty() ? rank : positions_[static_cast<std::size_t>(rank)];
  }

  friend bool operator==(const RingOrder&, const RingOrder&) = default;

 private:
  std::vector<Rank> ranks_;      // empty: the order of ranks
  std::vector<Rank> positions_;  // the inverse
};

}  // namespace trireme::plan
