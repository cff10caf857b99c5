#include "server/weight_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/types.h"

namespace trireme {
namespace {

using Leave = WeightUpdate::Leave;

constexpr std::int64_t kCount = 10'000;

// A bucket's weights in three tensors, the last of them one element.
struct Weights {
  Weights() : memory(idx(kCount)) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 97) * 0.01F;
  }
  [[nodiscard]] std::vector<WeightPiece> pieces() {
    const std::span<float> all(memory);
    return {{0, all.subspan(0, 5001)}, {5001, all.subspan(5001, 4998)}, {9999, all.subspan(9999)}};
  }
  std::vector<float> memory;
};

std::vector<float> gradients_of_step(std::int64_t step) {
  std::vector<float> gradients(idx(kCount));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    gradients[i] = static_cast<float>(static_cast<std::int64_t>(i) % 31 - 15) * static_cast<float>(step);
  }
  return gradients;
}

TEST(WeightUpdate, IsTheSameInOnePieceAndInShares) {
  for (const RuleKind kind : all_rule_kinds()) {
    const RuleSpec rule = default_rule(kind);
    Weights whole;
    Weights shared;
    UpdateRule reference(rule, kCount);
    Weights expected;
    WeightUpdate all(whole.pieces(), {0, kCount});
    WeightUpdate first(shared.pieces(), {0, 3333});
    WeightUpdate second(shared.pieces(), {3333, kCount - 3333});
    for (std::int64_t step = 1; step <= 3; ++step) {
      std::vector<float> bucket = gradients_of_step(step);
      for (float& gradient : bucket) gradient *= 0.25F;
      reference.apply(expected.memory, bucket, 0, {.number = step, .rate = rule.rate});
      bucket = gradients_of_step(step);
      all.apply(bucket, 0.25F, rule, step, Leave::kZeros);
      EXPECT_THAT(bucket, testing::Each(0.0F));
      bucket = gradients_of_step(step);
      first.apply(bucket, 0.25F, rule, step, Leave::kWeights);
      second.apply(bucket, 0.25F, rule, step, Leave::kWeights);
      EXPECT_EQ(bucket, shared.memory);
    }
    EXPECT_EQ(whole.memory, expected.memory) << name(kind);
    EXPECT_EQ(shared.memory, expected.memory) << name(kind);
  }
}

TEST(WeightUpdate, TakesWeightsAndLeavesZeros) {
  Weights weights;
  const WeightUpdate update(weights.pieces(), {0, kCount});
  const std::vector<float> sent = gradients_of_step(1);
  std::vector<float> bucket = sent;
  update.take(bucket);
  EXPECT_EQ(weights.memory, sent);
  EXPECT_THAT(bucket, testing::Each(0.0F));
}

TEST(WeightUpdate, RefusesAnotherRuleButNotAnotherRate) {
  Weights weights;
  WeightUpdate update(weights.pieces(), {0, kCount});
  std::vector<float> bucket = gradients_of_step(1);
  RuleSpec rule = default_rule(RuleKind::kMomentum);
  update.apply(bucket, 1, rule, 1, Leave::kZeros);
  rule.rate /= 2;
  update.apply(bucket, 1, rule, 2, Leave::kZeros);
  rule.momentum = 0.5;
  EXPECT_THROW(update.apply(bucket, 1, rule, 3, Leave::kZeros), Error);
}

}  // namespace
}  // namespace trireme
