#include "optim/rule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/types.h"
#include "optim/rule_test_util.h"
#include "optim/torch_reference_test_util.h"

namespace trireme::optim {
namespace {

using Floats = std::vector<float>;

std::span<float> part(Floats& values, std::size_t first, std::size_t count) {
  return std::span(values).subspan(first, count);
}

// A rule and its weights; gradients are made from the step's number.
struct Training {
  Training(const RuleSpec& spec, std::size_t size)
      : rule(spec, vector_of(static_cast<std::int64_t>(size))), weights(random_floats(size, 1)) {}

  // Applies the step in ranges cut at these borders, which begin with 0 and end with the number of weights.
  void step(std::int64_t number, const std::vector<std::size_t>& borders) {
    Floats gradients = random_floats(weights.size(), 1000 + static_cast<std::uint64_t>(number));
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
      const std::size_t count = borders[i + 1] - borders[i];
      rule.apply(part(weights, borders[i], count), part(gradients, borders[i], count),
                 static_cast<std::int64_t>(borders[i]), {.number = number, .rate = 0.01});
    }
  }

  // Everything that a step changes.
  std::vector<std::vector<std::uint32_t>> bits() {
    std::vector<std::vector<std::uint32_t>> all = {bits_of(weights)};
    for (const RuleState& state : rule.state()) all.push_back(bits_of(state.values));
    return all;
  }

  UpdateRule rule;
  Floats weights;
};

RuleSpec any_spec() {
  RuleSpec spec = default_rule(*rc::gen::elementOf(elementwise_kinds()));
  spec.weight_decay = *rc::gen::element(0.0, 0.1);
  return spec;
}

std::vector<std::size_t> any_borders(std::size_t size) {
  auto borders = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, size + 1));
  borders.insert(borders.end(), {0, size});
  std::sort(borders.begin(), borders.end());
  return borders;
}

// PyTorch was told not to fuse and not to use vectors (see the script), so it computes exactly as we do:
// there is no tolerance.
TEST(UpdateRule, HasTheBitsOfPyTorch) {
  for (const TorchRule& torch : kTorchRules) {
    SCOPED_TRACE(torch.name);
    UpdateRule rule(torch.spec, vector_of(static_cast<std::int64_t>(kTorchWeights.size())));
    Floats weights = kTorchWeights;
    for (std::size_t i = 0; i < kTorchRates.size(); ++i) {
      rule.apply(weights, kTorchGradients[i], 0,
                 {.number = static_cast<std::int64_t>(i) + 1, .rate = kTorchRates[i]});
      EXPECT_EQ(bits_of(weights), bits_of(torch.weights[i])) << "step " << i + 1;
    }
    const std::vector<RuleState> state = rule.state();
    ASSERT_EQ(state.size(), torch.state.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
      EXPECT_EQ(state[i].name, torch.state[i].first);
      EXPECT_EQ(bits_of(state[i].values), bits_of(torch.state[i].second)) << state[i].name;
    }
  }
}

RC_GTEST_PROP(UpdateRule, HasTheSameBitsHoweverItIsCut, ()) {
  const RuleSpec spec = any_spec();
  const auto size = *rc::gen::inRange<std::size_t>(0, *rc::gen::element<std::size_t>(10, 100, 3000));
  Training whole(spec, size);
  Training cut(spec, size);
  for (std::int64_t number = 1; number <= 3; ++number) {
    whole.step(number, {0, size});
    cut.step(number, any_borders(size));
  }
  RC_ASSERT(whole.bits() == cut.bits());
}

TEST(UpdateRule, HasTheSameBitsOneElementAtATime) {
  constexpr std::size_t kSize = 203;
  std::vector<std::size_t> borders(kSize + 1);
  for (std::size_t i = 0; i <= kSize; ++i) borders[i] = i;
  for (const RuleKind kind : elementwise_kinds()) {
    for (const double weight_decay : {0.0, 0.1}) {
      RuleSpec spec = default_rule(kind);
      spec.weight_decay = weight_decay;
      Training whole(spec, kSize);
      Training cut(spec, kSize);
      for (std::int64_t number = 1; number <= 5; ++number) {
        whole.step(number, {0, kSize});
        cut.step(number, borders);
      }
      EXPECT_EQ(whole.bits(), cut.bits()) << name(kind) << " with weight decay " << weight_decay;
    }
  }
}

RC_GTEST_PROP(UpdateRule, GoesOnFromASavedStateAsIfItHadNotStopped, ()) {
  const RuleSpec spec = any_spec();
  const auto size = *rc::gen::inRange<std::size_t>(0, 200);
  Training first(spec, size);
  for (std::int64_t number = 1; number <= 2; ++number) first.step(number, {0, size});

  Training second(spec, size);
  second.weights = first.weights;
  const std::vector<RuleState> saved = first.rule.state();
  const std::vector<RuleState> restored = second.rule.state();
  RC_ASSERT(saved.size() == restored.size());
  for (std::size_t i = 0; i < saved.size(); ++i) {
    RC_ASSERT(saved[i].name == restored[i].name);
    std::copy(saved[i].values.begin(), saved[i].values.end(), restored[i].values.begin());
  }
  first.step(3, {0, size});
  second.step(3, {0, size});
  RC_ASSERT(first.bits() == second.bits());
}

TEST(UpdateRule, TouchesOnlyTheRangeItIsGiven) {
  for (const RuleKind kind : elementwise_kinds()) {
    Training training(default_rule(kind), 64);
    const auto before = training.bits();
    training.step(1, {17, 40});
    const auto after = training.bits();
    for (std::size_t array = 0; array < before.size(); ++array) {
      for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(before[array][i] != after[array][i], i >= 17 && i < 40)
            << name(kind) << " " << array << " " << i;
      }
    }
  }
}

TEST(UpdateRule, RefusesASpecThatCannotBeRight) {
  EXPECT_THROW(UpdateRule({.rate = -1}, vector_of(10)), Error);
}

}  // namespace
}  // namespace trireme::optim
