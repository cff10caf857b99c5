#include "rounds/weight_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/types.h"

namespace trireme::rounds {
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

const std::vector<bool> kAll(3, true);  // pieces have a gradient

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
    if (optim::reach(rule, optim::vector_of(kCount)) != optim::Reach::kElement) continue;
    Weights whole;
    Weights shared;
    optim::UpdateRule reference(rule, optim::vector_of(kCount));
    Weights expected;
    WeightUpdate all(whole.pieces(), {0, kCount});
    WeightUpdate first(shared.pieces(), {0, 3333});
    WeightUpdate second(shared.pieces(), {3333, kCount - 3333});
    for (std::int64_t step = 1; step <= 3; ++step) {
      std::vector<float> bucket = gradients_of_step(step);
      for (float& gradient : bucket) gradient *= 0.25F;
      reference.apply(expected.memory, bucket, 0, {.number = step, .rate = rule.rate});
      bucket = gradients_of_step(step);
      all.apply(bucket, 0.25F, rule, kAll, Leave::kZeros);
      EXPECT_THAT(bucket, testing::Each(0.0F));
      bucket = gradients_of_step(step);
      first.apply(bucket, 0.25F, rule, kAll, Leave::kWeights);
      second.apply(bucket, 0.25F, rule, kAll, Leave::kWeights);
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
  update.take(bucket, kAll);
  EXPECT_EQ(weights.memory, sent);
  EXPECT_THAT(bucket, testing::Each(0.0F));
}

// Neither do its state and the number of its steps: later it goes on as if those steps had not been.
TEST(WeightUpdate, DoesNotTouchAPieceWithoutGradient) {
  for (const RuleKind kind : all_rule_kinds()) {
    RuleSpec rule = default_rule(kind);
    if (optim::reach(rule, optim::vector_of(kCount)) != optim::Reach::kElement) continue;
    rule.weight_decay = 0.1;
    Weights found;
    Weights expected;
    WeightUpdate one(found.pieces(), {0, kCount});
    WeightUpdate other(expected.pieces(), {0, kCount});
    for (const bool skips : {false, true, true, false}) {
      std::vector<float> bucket = gradients_of_step(1);
      if (skips) std::fill(bucket.begin() + 5001, bucket.begin() + 9999, 0.0F);
      const std::vector<float> before = found.memory;
      one.apply(bucket, 1, rule, {true, !skips, true}, Leave::kWeights);
      EXPECT_EQ(std::equal(before.begin() + 5001, before.begin() + 9999, found.memory.begin() + 5001), skips);
      EXPECT_NE(before.back(), found.memory.back());
      one.take(bucket, {true, !skips, true});
      EXPECT_THAT(bucket, testing::Each(0.0F));
      if (skips) continue;
      bucket = gradients_of_step(1);
      other.apply(bucket, 1, rule, kAll, Leave::kZeros);
    }
    EXPECT_TRUE(
        std::equal(found.memory.begin() + 5001, found.memory.begin() + 9999, expected.memory.begin() + 5001))
        << name(kind);
  }
}

TEST(WeightUpdate, RefusesAnotherRuleButNotAnotherRate) {
  Weights weights;
  WeightUpdate update(weights.pieces(), {0, kCount});
  std::vector<float> bucket = gradients_of_step(1);
  RuleSpec rule = default_rule(RuleKind::kMomentum);
  update.apply(bucket, 1, rule, kAll, Leave::kZeros);
  rule.rate /= 2;
  update.apply(bucket, 1, rule, kAll, Leave::kZeros);
  rule.momentum = 0.5;
  EXPECT_THROW(update.apply(bucket, 1, rule, kAll, Leave::kZeros), Error);
}

}  // namespace
}  // namespace trireme::rounds
