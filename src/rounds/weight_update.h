// The weights of one bucket, and their update by the node that has the averaged gradients: a server updates
// its share, a worker its own share or all of them. The bits are the same in any case.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "optim/rule.h"
#include "plan/slice.h"

namespace trireme::rounds {

/// The weights of one part of a bucket.
struct WeightPiece {
  std::int64_t first = 0;  ///< element of the bucket
  std::span<float> weights{};
};

class WeightUpdate {
 public:
  /// The pieces follow each other without gaps and make up the bucket. This node updates the slice.
  WeightUpdate(std::vector<WeightPiece> pieces, const plan::Slice& slice);

  /// Decides what the bucket holds afterwards instead of gradients.
  enum class Leave { kZeros, kWeights };

  /// Updates the slice, but only pieces that have a gradient; `bucket` holds the gradients of all of it,
  /// which are multiplied by `factor` first. The steps of a piece are those in which it had one. Throws
  /// `Error` when the rule is not that of the first step, but for its rate.
  void apply(std::span<float> bucket, float factor, const RuleSpec& rule,
             const std::vector<bool>& has_gradient, Leave leave);

  /// The bucket holds weights: takes those of pieces that have a gradient, and leaves zeros.
  void take(std::span<float> bucket, const std::vector<bool>& has_gradient) const;

 private:
  template <typename Body>
  void for_each_block(const plan::Slice& slice, const std::vector<bool>& has_gradient, Body body) const;

  std::vector<WeightPiece> pieces_;
  std::vector<std::int64_t> steps_;  // by piece: how often it has been updated
  plan::Slice slice_;
  std::optional<optim::UpdateRule> rule_;  // from the first step on
};

}  // namespace trireme::rounds
