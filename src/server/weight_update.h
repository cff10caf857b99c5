// The weights of one bucket, and their update by whoever has the averaged gradients: a server those of its
// share, a worker its own share's or all of them. The same bits in any case.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "optim/rule.h"
#include "plan/slice.h"

namespace trireme {

/// Where some of a bucket's weights lie.
struct WeightPiece {
  std::int64_t first = 0;  ///< element of the bucket
  std::span<float> weights{};
};

class WeightUpdate {
 public:
  /// The pieces follow each other without gaps and make up the bucket. This node updates the slice.
  WeightUpdate(std::vector<WeightPiece> pieces, const Slice& slice);

  /// What is in the bucket afterwards, instead of gradients.
  enum class Leave { kZeros, kWeights };

  /// Updates the slice; `bucket` holds the gradients of all of it, which are multiplied by `factor` first.
  /// Steps count from 1. Throws `Error` when the rule is not that of the first step, but for its rate.
  void apply(std::span<float> bucket, float factor, const RuleSpec& rule, std::int64_t step, Leave leave);

  /// The bucket holds weights: takes all of them, and leaves zeros.
  void take(std::span<float> bucket) const;

 private:
  template <typename Body>
  void for_each_block(const Slice& slice, Body body) const;

  std::vector<WeightPiece> pieces_;
  Slice slice_;
  std::optional<UpdateRule> rule_;  // from the first step on
};

}  // namespace trireme
