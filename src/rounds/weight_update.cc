#include "rounds/weight_update.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/types.h"
#include "optim/norm.h"

namespace trireme::rounds {
namespace {

// So much at a time stays in the nearest cache from one use to the next.
constexpr std::int64_t kBlock = 2048;

bool is_same_but_for_rate(RuleSpec a, const RuleSpec& b) {
  a.rate = b.rate;
  return a == b;
}

}  // namespace

WeightUpdate::WeightUpdate(std::vector<WeightPiece> pieces, const plan::Slice& slice)
    : pieces_(std::move(pieces)), steps_(pieces_.size()), slice_(slice) {}

// Calls `body(weights, first, piece)` for blocks that make up the slice.
template <typename Body>
void WeightUpdate::for_each_block(const plan::Slice& slice, const std::vector<bool>& has_gradient,
                                  Body body) const {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!has_gradient[i]) continue;
    const WeightPiece& piece = pieces_[i];
    const std::int64_t piece_end = piece.first + std::ssize(piece.weights);
    const std::int64_t end = std::min(piece_end, slice.end());
    for (std::int64_t first = std::max(piece.first, slice.first); first < end; first += kBlock) {
      const std::int64_t count = std::min(kBlock, end - first);
      body(piece.weights.subspan(idx(first - piece.first), idx(count)), first, i);
    }
  }
}

void WeightUpdate::apply(std::span<float> bucket, float factor, const RuleSpec& rule,
                         const std::vector<bool>& has_gradient, Leave leave) {
  if (!rule_) rule_.emplace(rule, optim::vector_of(slice_.count));
  if (!is_same_but_for_rate(rule_->spec(), rule)) {
    throw bad_input(
        "this step has another update rule than the first; only "
        "the rate may change",
        "make another Exchange for another rule");
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] += has_gradient[i] ? 1 : 0;
  for_each_block(slice_, has_gradient, [&](std::span<float> weights, std::int64_t first, std::size_t piece) {
    const std::span<float> gradients = bucket.subspan(idx(first), weights.size());
    optim::scale(gradients, factor);
    rule_->apply(weights, gradients, first - slice_.first, {.number = steps_[piece], .rate = rule.rate});
    if (leave == Leave::kWeights) std::copy(weights.begin(), weights.end(), gradients.begin());
    if (leave == Leave::kZeros) std::fill(gradients.begin(), gradients.end(), 0.0F);
  });
}

void WeightUpdate::take(std::span<float> bucket, const std::vector<bool>& has_gradient) const {
  for_each_block({0, std::ssize(bucket)}, has_gradient,
                 [&](std::span<float> weights, std::int64_t first, std::size_t) {
                   const std::span<float> updated = bucket.subspan(idx(first), weights.size());
                   std::copy(updated.begin(), updated.end(), weights.begin());
                   std::fill(updated.begin(), updated.end(), 0.0F);
                 });
}

}  // namespace trireme::rounds
