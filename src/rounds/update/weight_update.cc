#include "rounds/update/weight_update.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "base/types.h"
#include "optim/norm.h"

namespace trireme::rounds {
namespace {

// So much at a time stays in a near cache from one use to the next, and is worth what a call of a rule costs.
constexpr std::int64_t kBlock = 4096;

bool is_same_but_for_rate(RuleSpec a, const RuleSpec& b) {
  a.rate = b.rate;
  return a == b;
}

void leave_behind(std::span<float> bucket, std::span<const float> weights, WeightUpdate::Leave leave) {
  if (leave == WeightUpdate::Leave::kWeights) {
    std::copy(weights.begin(), weights.end(), bucket.begin());
  } else {
    std::fill(bucket.begin(), bucket.end(), 0.0F);
  }
}

}  // namespace

WeightUpdate::WeightUpdate(std::vector<WeightPiece> pieces, const plan::Slice& slice)
    : pieces_(std::move(pieces)), slice_(slice), steps_(pieces_.size()), rules_(pieces_.size()) {}

// The part of the bucket that is the piece's and is updated here.
plan::Slice WeightUpdate::part_of(const WeightPiece& piece) const {
  const std::int64_t first = std::max(piece.first, slice_.first);
  const std::int64_t end = std::min(piece.first + std::ssize(piece.weights), slice_.end());
  return {first, std::max<std::int64_t>(end - first, 0)};
}

plan::Slice WeightUpdate::part_of_piece(std::size_t piece) const {
  const plan::Slice part = part_of(pieces_[piece]);
  return {part.first - pieces_[piece].first, part.count};
}

bool WeightUpdate::updates(std::size_t piece) const { return !part_of(pieces_[piece]).empty(); }

// On all nodes alike, whatever they update.
void WeightUpdate::require_known(const std::vector<RuleSpec>& rules) {
  if (specs_.empty()) specs_ = rules;
  if (std::ranges::equal(specs_, rules, is_same_but_for_rate)) return;
  throw bad_input(
      "this step has another update rule than the first; only "
      "the rate may change",
      "make another Exchange for another rule");
}

optim::UpdateRule& WeightUpdate::rule_of(std::size_t i) {
  if (!rules_[i]) {
    const WeightPiece& piece = pieces_[i];
    const plan::Slice part = part_of(piece);
    const bool is_whole = part.count == std::ssize(piece.weights);
    assert(is_whole || optim::reach(specs_[i], piece.shape) == optim::Reach::kElement);
    rules_[i].emplace(specs_[i], is_whole ? piece.shape : optim::vector_of(part.count));
    if (start_) steps_[i] = start_(i, part.first - piece.first, *rules_[i]);
  }
  return *rules_[i];
}

std::vector<WeightUpdate::PieceState> WeightUpdate::state() {
  std::vector<PieceState> states;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!rules_[i]) continue;
    states.push_back({i, part_of_piece(i).first, steps_[i], &*rules_[i]});
  }
  return states;
}

void WeightUpdate::start_from(Start start) {
  specs_.clear();
  std::ranges::fill(steps_, 0);
  for (std::optional<optim::UpdateRule>& rule : rules_) rule.reset();
  start_ = std::move(start);
}

void WeightUpdate::measure(std::span<float> bucket, float factor, PieceSteps& steps) {
  require_known(steps.rules);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const WeightPiece& piece = pieces_[i];
    const bool is_measured = optim::reach(steps.rules[i], piece.shape) == optim::Reach::kModel;
    if (!steps.has_gradient[i] || !is_measured || !updates(i)) continue;
    const std::span<float> gradients = bucket.subspan(idx(piece.first), piece.weights.size());
    optim::scale(gradients, factor);
    steps.measures[i] = rule_of(i).measure(piece.weights, gradients);
  }
}

void WeightUpdate::apply(std::span<float> bucket, float factor, const PieceSteps& steps, Leave leave) {
  require_known(steps.rules);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const WeightPiece& piece = pieces_[i];
    const plan::Slice part = part_of(piece);
    if (!steps.has_gradient[i] || part.empty()) continue;
    optim::UpdateRule& rule = rule_of(i);
    const optim::UpdateStep step{.number = ++steps_[i], .rate = steps.rules[i].rate};
    const optim::Reach reach = optim::reach(steps.rules[i], piece.shape);
    const std::int64_t most = reach == optim::Reach::kElement ? kBlock : part.count;
    for (std::int64_t first = part.first; first < part.end(); first += most) {
      const auto count = idx(std::min(most, part.end() - first));
      const std::span<float> weights = piece.weights.subspan(idx(first - piece.first), count);
      const std::span<float> gradients = bucket.subspan(idx(first), count);
      if (reach != optim::Reach::kModel) optim::scale(gradients, factor);
      if (reach == optim::Reach::kElement) rule.apply(weights, gradients, first - part.first, step);
      if (reach == optim::Reach::kTensor) rule.apply_tensor(weights, gradients, step);
      if (reach == optim::Reach::kModel) rule.apply_tensor(weights, gradients, step, steps.measures[i]);
      leave_behind(gradients, weights, leave);
    }
  }
}

void WeightUpdate::take(std::span<float> bucket, const std::vector<bool>& has_gradient) const {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!has_gradient[i]) continue;
    const std::span<float> weights = pieces_[i].weights;
    for (std::size_t first = 0; first < weights.size(); first += idx(kBlock)) {
      const std::span<float> block = weights.subspan(first, std::min(idx(kBlock), weights.size() - first));
      const std::span<float> updated = bucket.subspan(idx(pieces_[i].first) + first, block.size());
      std::copy(updated.begin(), updated.end(), block.begin());
      std::fill(updated.begin(), updated.end(), 0.0F);
    }
  }
}

}  // namespace trireme::rounds
