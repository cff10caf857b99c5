// The weights of one bucket, and their update by the node that has the averaged gradients: a server updates
// its share, a worker its own share or all of them. The bits are the same in any case.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "optim/rule.h"
#include "plan/slice.h"

namespace trireme::rounds {

/// A parameter, which is one part of a bucket.
struct WeightPiece {
  std::int64_t first = 0;  ///< element of the bucket
  std::span<float> weights{};
  optim::TensorShape shape{};
};

/// By piece: what happens to it in the step at hand.
struct PieceSteps {
  std::vector<RuleSpec> rules;     ///< with the rate of this step
  std::vector<bool> has_gradient;  ///< others are not touched
  /// For rules with a norm of the whole model (`Reach::kModel`).
  std::vector<optim::Measure> measures{};
};

class WeightUpdate {
 public:
  /// The pieces follow each other without gaps and make up the bucket. This node updates the slice.
  WeightUpdate(std::vector<WeightPiece> pieces, const plan::Slice& slice);

  /// The elements of the piece that this node updates.
  [[nodiscard]] plan::Slice part_of_piece(std::size_t piece) const;
  /// Whether it updates any.
  [[nodiscard]] bool updates(std::size_t piece) const;

  /// Measures pieces whose rule has a norm of the whole model, if this node updates them. `bucket` holds the
  /// gradients of all of it; those of these pieces are multiplied by `factor`. Throws as `apply` does.
  void measure(std::span<float> bucket, float factor, PieceSteps& steps);

  /// Decides what the bucket holds afterwards instead of gradients.
  enum class Leave { kZeros, kWeights };

  /// Updates the slice, but only pieces that have a gradient; `bucket` holds the gradients of all of it,
  /// which are multiplied by `factor` first, where `measure` has not done it. The steps of a piece are those
  /// in which it had one. A piece whose rule needs its whole tensor lies in the slice as a whole, or not at
  /// all. Throws `Error` when a rule is not that of the first step, but for its rate.
  void apply(std::span<float> bucket, float factor, const PieceSteps& steps, Leave leave);

  /// The state that the rule of a piece has for a part of it, which this node updates.
  struct PieceState {
    std::size_t piece = 0;
    std::int64_t first = 0;  ///< element of the piece
    std::int64_t steps = 0;  ///< that the part has been updated in
    optim::UpdateRule* rule = nullptr;
  };
  /// Those that have been updated, or begun with another state. They are valid until the next call here.
  [[nodiscard]] std::vector<PieceState> state();

  /// Fills in the state with which the rule of a part begins, from element `first` of the piece on. Returns
  /// the steps that were done in it, 0 if there are none.
  using Start = std::function<std::int64_t(std::size_t piece, std::int64_t first, optim::UpdateRule& rule)>;
  /// Forgets all state: the rule of each piece begins with what `start` says, at its next update.
  void start_from(Start start);
  /// The rule of a piece has begun.
  [[nodiscard]] bool has_begun(std::size_t piece) const { return rules_[piece].has_value(); }

  /// The bucket holds weights: takes those of pieces that have a gradient, and leaves zeros.
  void take(std::span<float> bucket, const std::vector<bool>& has_gradient) const;

 private:
  void require_known(const std::vector<RuleSpec>& rules);
  [[nodiscard]] plan::Slice part_of(const WeightPiece& piece) const;
  optim::UpdateRule& rule_of(std::size_t piece);

  std::vector<WeightPiece> pieces_;
  plan::Slice slice_;
  std::vector<RuleSpec> specs_;                          // by piece: in the first step
  std::vector<std::int64_t> steps_;                      // likewise: how often it has been updated
  std::vector<std::optional<optim::UpdateRule>> rules_;  // likewise, from its first update on
  Start start_;                                          // empty: all begin anew
};

}  // namespace trireme::rounds
