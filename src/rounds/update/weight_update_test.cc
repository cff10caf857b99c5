#include "rounds/update/weight_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/types.h"

namespace trireme::rounds {
namespace {

using Leave = WeightUpdate::Leave;
using optim::Reach;

constexpr std::int64_t kCount = 10'000;
constexpr plan::Slice kAll{0, kCount};

// A bucket's weights in three tensors: a matrix, a vector and one element.
struct Weights {
  Weights() : memory(idx(kCount)) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 97) * 0.01F;
  }
  [[nodiscard]] std::vector<WeightPiece> pieces() {
    const std::span<float> all(memory);
    return {{0, all.subspan(0, 5000), {.rows = 50, .columns = 100, .is_matrix = true}},
            {5000, all.subspan(5000, 4999), optim::vector_of(4999)},
            {9999, all.subspan(9999), optim::vector_of(1)}};
  }
  std::vector<float> memory;
};

// Every piece has a gradient, and is updated by the rule.
PieceSteps steps_by(const RuleSpec& rule) {
  return {.rules = std::vector<RuleSpec>(3, rule),
          .has_gradient = std::vector<bool>(3, true),
          .measures = std::vector<optim::Measure>(3)};
}

std::vector<float> gradients_of_step(std::int64_t step) {
  std::vector<float> gradients(idx(kCount));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    gradients[i] = static_cast<float>(static_cast<std::int64_t>(i) % 31 - 15) * static_cast<float>(step);
  }
  return gradients;
}

// With a rule of its own for each tensor.
class Reference {
 public:
  explicit Reference(const RuleSpec& rule) {
    for (const WeightPiece& piece : pieces_) rules_.emplace_back(rule, piece.shape);
  }
  void step(std::int64_t number, std::span<const float> gradients) {
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const WeightPiece& piece = pieces_[i];
      rules_[i].apply_tensor(piece.weights, gradients.subspan(idx(piece.first), piece.weights.size()),
                             {.number = number, .rate = rules_[i].spec().rate});
    }
  }
  [[nodiscard]] const std::vector<float>& weights() const { return weights_.memory; }

 private:
  Weights weights_;
  const std::vector<WeightPiece> pieces_ = weights_.pieces();
  std::vector<optim::UpdateRule> rules_;
};

// Cut into two shares at `border`.
void expect_same_in_shares(const RuleSpec& rule, std::int64_t border) {
  Weights whole;
  Weights shared;
  Reference expected(rule);
  WeightUpdate all(whole.pieces(), kAll);
  WeightUpdate first(shared.pieces(), {0, border});
  WeightUpdate second(shared.pieces(), {border, kCount - border});
  for (std::int64_t step = 1; step <= 3; ++step) {
    std::vector<float> bucket = gradients_of_step(step);
    for (float& gradient : bucket) gradient *= 0.25F;
    expected.step(step, bucket);
    bucket = gradients_of_step(step);
    all.apply(bucket, 0.25F, steps_by(rule), Leave::kZeros);
    EXPECT_THAT(bucket, testing::Each(0.0F));
    bucket = gradients_of_step(step);
    first.apply(bucket, 0.25F, steps_by(rule), Leave::kWeights);
    second.apply(bucket, 0.25F, steps_by(rule), Leave::kWeights);
    EXPECT_EQ(bucket, shared.memory);
  }
  EXPECT_FALSE(whole.memory == Weights().memory) << name(rule);
  EXPECT_EQ(whole.memory, expected.weights()) << name(rule);
  EXPECT_EQ(shared.memory, expected.weights()) << name(rule);
}

TEST(WeightUpdate, IsTheSameInOnePieceAndInShares) {
  for (const RuleKind kind : all_rule_kinds()) {
    const RuleSpec rule = default_rule(kind);
    const bool by_element = optim::reach(rule, Weights().pieces()[0].shape) == Reach::kElement &&
                            optim::reach(rule, Weights().pieces()[1].shape) == Reach::kElement;
    if (by_element) expect_same_in_shares(rule, 3333);
    expect_same_in_shares(rule, 5000);
  }
}

// A share has the whole model's measures from all nodes.
TEST(WeightUpdate, MeasuresTheTensorsThatItUpdates) {
  for (const RuleKind kind : all_rule_kinds()) {
    RuleSpec rule = default_rule(kind);
    rule.whole_model = true;
    if (optim::reach(rule, optim::vector_of(2)) != Reach::kModel) continue;
    Weights whole;
    Weights shared;
    WeightUpdate all(whole.pieces(), kAll);
    WeightUpdate first(shared.pieces(), {0, 5000});
    WeightUpdate second(shared.pieces(), {5000, 5000});
    for (std::int64_t step = 1; step <= 3; ++step) {
      std::vector<float> bucket = gradients_of_step(step);
      PieceSteps steps = steps_by(rule);
      all.measure(bucket, 0.25F, steps);
      const std::vector<optim::Measure> measured = steps.measures;
      steps.measures = optim::measures_of_model(rule, steps.measures);
      const std::vector<optim::Measure> of_model = steps.measures;
      all.apply(bucket, 0.25F, steps, Leave::kZeros);
      bucket = gradients_of_step(step);
      PieceSteps of_first = steps_by(rule);
      PieceSteps of_second = steps_by(rule);
      first.measure(bucket, 0.25F, of_first);
      second.measure(bucket, 0.25F, of_second);
      EXPECT_EQ(of_first.measures[0].value, measured[0].value);
      EXPECT_EQ(of_first.measures[1].value, 0);
      EXPECT_EQ(of_second.measures[0].value, 0);
      EXPECT_EQ(of_second.measures[1].value, measured[1].value);
      of_first.measures = of_second.measures = of_model;
      first.apply(bucket, 0.25F, of_first, Leave::kWeights);
      second.apply(bucket, 0.25F, of_second, Leave::kWeights);
    }
    EXPECT_FALSE(whole.memory == Weights().memory) << name(rule);
    EXPECT_EQ(shared.memory, whole.memory) << name(rule);
  }
}

TEST(WeightUpdate, UpdatesEveryPieceByItsOwnRule) {
  PieceSteps steps = steps_by(default_rule(RuleKind::kSgd));
  steps.rules[1] = default_rule(RuleKind::kAdam);
  steps.rules[2].rate = 0;
  Weights found;
  Weights before;
  WeightUpdate update(found.pieces(), kAll);
  Reference by_sgd(steps.rules[0]);
  Reference by_adam(steps.rules[1]);
  for (std::int64_t step = 1; step <= 3; ++step) {
    std::vector<float> bucket = gradients_of_step(step);
    by_sgd.step(step, bucket);
    by_adam.step(step, bucket);
    update.apply(bucket, 1, steps, Leave::kZeros);
  }
  EXPECT_TRUE(std::equal(found.memory.begin(), found.memory.begin() + 5000, by_sgd.weights().begin()));
  EXPECT_TRUE(
      std::equal(found.memory.begin() + 5000, found.memory.begin() + 9999, by_adam.weights().begin() + 5000));
  EXPECT_EQ(found.memory.back(), before.memory.back());
}

TEST(WeightUpdate, TakesWeightsAndLeavesZeros) {
  Weights weights;
  const WeightUpdate update(weights.pieces(), kAll);
  const std::vector<float> sent = gradients_of_step(1);
  std::vector<float> bucket = sent;
  update.take(bucket, std::vector<bool>(3, true));
  EXPECT_EQ(weights.memory, sent);
  EXPECT_THAT(bucket, testing::Each(0.0F));
}

// Neither do its state and the number of its steps: later it goes on as if those steps had not been.
TEST(WeightUpdate, DoesNotTouchAPieceWithoutGradient) {
  for (const RuleKind kind : all_rule_kinds()) {
    RuleSpec rule = default_rule(kind);
    rule.weight_decay = 0.1;
    Weights found;
    Weights expected;
    WeightUpdate one(found.pieces(), kAll);
    WeightUpdate other(expected.pieces(), kAll);
    for (const bool skips : {false, true, true, false}) {
      std::vector<float> bucket = gradients_of_step(1);
      if (skips) std::fill(bucket.begin() + 5000, bucket.begin() + 9999, 0.0F);
      const std::vector<float> before = found.memory;
      PieceSteps steps = steps_by(rule);
      steps.has_gradient[1] = !skips;
      one.apply(bucket, 1, steps, Leave::kWeights);
      EXPECT_EQ(std::equal(before.begin() + 5000, before.begin() + 9999, found.memory.begin() + 5000), skips)
          << name(kind);
      EXPECT_NE(before.back(), found.memory.back()) << name(kind);
      one.take(bucket, steps.has_gradient);
      EXPECT_THAT(bucket, testing::Each(0.0F));
      if (skips) continue;
      bucket = gradients_of_step(1);
      other.apply(bucket, 1, steps_by(rule), Leave::kZeros);
    }
    EXPECT_TRUE(
        std::equal(found.memory.begin() + 5000, found.memory.begin() + 9999, expected.memory.begin() + 5000))
        << name(kind);
  }
}

// Also where it updates nothing: all nodes refuse alike.
TEST(WeightUpdate, RefusesAnotherRuleButNotAnotherRate) {
  for (const plan::Slice& slice : {kAll, plan::Slice{}}) {
    Weights weights;
    WeightUpdate update(weights.pieces(), slice);
    std::vector<float> bucket = gradients_of_step(1);
    RuleSpec rule = default_rule(RuleKind::kMomentum);
    update.apply(bucket, 1, steps_by(rule), Leave::kZeros);
    rule.rate /= 2;
    update.apply(bucket, 1, steps_by(rule), Leave::kZeros);
    rule.momentum = 0.5;
    EXPECT_THROW(update.apply(bucket, 1, steps_by(rule), Leave::kZeros), Error);
    EXPECT_THROW(update.measure(bucket, 1, *std::make_unique<PieceSteps>(steps_by(rule))), Error);
  }
}

}  // namespace
}  // namespace trireme::rounds
