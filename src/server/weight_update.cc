#include "server/weight_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/types.h"
#include "optim/norm.h"

namespace trireme {
namespace {

// So much at a time stays in the nearest cache from one use to the next.
constexpr std::int64_t kBlock = 2048;

bool is_same_but_for_rate(RuleSpec a, const RuleSpec& b) {
  a.rate = b.rate;
  return a == b;
}

}  // namespace

WeightUpdate::WeightUpdate(std::vector<WeightPiece> pieces, const Slice& slice)
    : pieces_(std::move(pieces)), slice_(slice) {}

// Calls `body(weights, first)` for blocks that make up the slice.
template <typename Body>
void WeightUpdate::for_each_block(const Slice& slice, Body body) const {
  for (const WeightPiece& piece : pieces_) {
    const std::int64_t piece_end = piece.first + std::ssize(piece.weights);
    const std::int64_t end = std::min(piece_end, slice.end());
    for (std::int64_t first = std::max(piece.first, slice.first); first < end; first += kBlock) {
      const std::int64_t count = std::min(kBlock, end - first);
      body(piece.weights.subspan(idx(first - piece.first), idx(count)), first);
    }
  }
}

void WeightUpdate::apply(std::span<float> bucket, float factor, const RuleSpec& rule, std::int64_t step,
                         Leave leave) {
  if (!rule_) rule_.emplace(rule, slice_.count);
  if (!is_same_but_for_rate(rule_->spec(), rule)) {
    throw bad_input(
        fmt::format("step {} has another update rule than the first; only the rate may change", step),
        "make another Exchange for another rule");
  }
  for_each_block(slice_, [&](std::span<float> weights, std::int64_t first) {
    const std::span<float> gradients = bucket.subspan(idx(first), weights.size());
    scale(gradients, factor);
    rule_->apply(weights, gradients, first - slice_.first, {.number = step, .rate = rule.rate});
    if (leave == Leave::kWeights) std::copy(weights.begin(), weights.end(), gradients.begin());
    if (leave == Leave::kZeros) std::fill(gradients.begin(), gradients.end(), 0.0F);
  });
}

void WeightUpdate::take(std::span<float> bucket) const {
  for_each_block({0, std::ssize(bucket)}, [&](std::span<float> weights, std::int64_t first) {
    const std::span<float> updated = bucket.subspan(idx(first), weights.size());
    std::copy(updated.begin(), updated.end(), weights.begin());
    std::fill(updated.begin(), updated.end(), 0.0F);
  });
}

}  // namespace trireme
