#include "optim/rule_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optim/rule.h"
#include "optim/rule_test_util.h"
#include "optim/targets_test_util.h"

namespace trireme::optim {
namespace {

using Floats = std::vector<float>;

// The weights and state after two steps from the given weights.
std::vector<std::vector<std::uint32_t>> bits_after_two_steps(const RuleSpec& spec, Floats weights,
                                                             const Floats& gradients) {
  UpdateRule rule(spec, vector_of(static_cast<std::int64_t>(weights.size())));
  for (const std::int64_t number : {1, 2}) rule.apply(weights, gradients, 0, {number, 0.01});
  std::vector<std::vector<std::uint32_t>> all = {bits_of(weights)};
  for (const RuleState& state : rule.state()) all.push_back(bits_of(state.values));
  return all;
}

TEST(RuleKernels, GiveTheSameBitsOnEveryInstructionSet) {
  constexpr std::size_t kCount = 77;  // no multiple of any vector's length
  Floats gradients = random_floats(kCount, 1);
  gradients[3] = 0;
  gradients[4] = -0.0F;
  gradients[5] = std::numeric_limits<float>::denorm_min();
  gradients[6] = std::numeric_limits<float>::infinity();
  gradients[7] = std::numeric_limits<float>::max();
  for (const RuleKind kind : elementwise_kinds()) {
    for (const double weight_decay : {0.0, 0.1}) {
      RuleSpec spec = default_rule(kind);
      spec.weight_decay = weight_decay;
      std::vector<std::vector<std::vector<std::uint32_t>>> found;
      with_each_target(
          [&] { found.push_back(bits_after_two_steps(spec, random_floats(kCount, 2), gradients)); });
      // The bits of a NaN may differ: here an infinite gradient becomes one.
      for (auto& of_target : found) {
        for (auto& array : of_target) {
          for (std::uint32_t& bits : array) {
            if (std::isnan(std::bit_cast<float>(bits))) bits = 0x7FC00000;
          }
        }
      }
      EXPECT_THAT(found, testing::Each(found[0])) << name(kind) << " with weight decay " << weight_decay;
    }
  }
}

Floats after_one_step(const RuleSpec& spec, Floats weights, const Floats& gradients) {
  UpdateRule(spec, vector_of(std::ssize(weights))).apply(weights, gradients, 0, {1, spec.rate});
  return weights;
}

TEST(SignSgd, MovesEachWeightByTheRateAgainstItsGradientsSign) {
  const RuleSpec spec{.kind = RuleKind::kSignSgd, .rate = 0.25};
  EXPECT_EQ(after_one_step(spec, {1, 1, 1, 1, 1}, {3, -1e-40F, 0, -0.0F, 1e30F}),
            (Floats{0.75F, 1.25F, 1, 1, 0.75F}));
}

TEST(SignSgd, TakesTheSignAfterAddingDecay) {
  const RuleSpec spec{.kind = RuleKind::kSignSgd, .rate = 0.25, .weight_decay = 0.5};
  EXPECT_EQ(after_one_step(spec, {4, 4, 0}, {-1, -2, 0}), (Floats{3.75F, 4, 0}));
}

TEST(SignSgd, MakesTheWeightOfANaNGradientNaN) {
  EXPECT_TRUE(std::isnan(after_one_step({.kind = RuleKind::kSignSgd}, {1}, {NAN})[0]));
}

TEST(Lion, MovesAgainstTheSignOfItsMomentumAndTheGradient) {
  const RuleSpec spec{
      .kind = RuleKind::kLion, .rate = 0.5, .beta1 = 0.75, .beta2 = 0.5, .weight_decay = 0.25};
  UpdateRule rule(spec, vector_of(3));
  Floats weights = {8, 8, 0};
  rule.apply(weights, Floats{4, -4, 0}, 0, {1, 0.5});
  EXPECT_EQ(weights, (Floats{7 - 0.5F, 7 + 0.5F, 0}));  // weights shrink by 1/8
  EXPECT_THAT(rule.state()[0].values, testing::ElementsAre(2, -2, 0));
  // 0.75·2 − 0.25·6 is 0: no step; 0.75·−2 + 0.25·8 is positive.
  weights = {8, 8, 0};
  rule.apply(weights, Floats{-6, 8, 1}, 0, {2, 0.5});
  EXPECT_EQ(weights, (Floats{7, 6.5F, -0.5F}));
  EXPECT_THAT(rule.state()[0].values, testing::ElementsAre(-2, 3, 0.5F));
  EXPECT_EQ(rule.state()[0].name, "exp_avg");
}

TEST(SteepestL2, IsSgdWithHalfTheRate) {
  const Floats weights = random_floats(50, 1);
  const Floats gradients = random_floats(50, 2);
  EXPECT_EQ(
      after_one_step({.kind = RuleKind::kSteepestL2, .rate = 0.3, .weight_decay = 0.1}, weights, gradients),
      after_one_step({.kind = RuleKind::kSgd, .rate = 0.15, .weight_decay = 0.1}, weights, gradients));
}

}  // namespace
}  // namespace trireme::optim
