// The rules that look at whole tensors but are no steepest descent, against their formulas in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "optim/orthogonal.h"
#include "optim/rule.h"
#include "optim/rule_test_util.h"

namespace trireme::optim {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr std::size_t kRows = 60;
constexpr std::size_t kColumns = 90;  // more than one block of a sum
constexpr TensorShape kShape{kRows, kColumns, true};
constexpr std::size_t kCount = kRows * kColumns;
constexpr double kRates[] = {0.01, 0.01, 0.03};

Floats gradients_of(std::size_t step) { return random_floats(kCount, 100 + step); }

double norm(const Doubles& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

Doubles exact(std::span<const float> values) { return {values.begin(), values.end()}; }

void expect_near(std::span<const float> found, const Doubles& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(static_cast<double>(found[i]), expected[i], tolerance) << i;
}

// The weights after three steps, and the rule.
struct Trained {
  explicit Trained(const RuleSpec& spec) : rule(spec, kShape), weights(random_floats(kCount, 1)) {
    for (std::size_t i = 0; i < 3; ++i)
      rule.apply_tensor(weights, gradients_of(i), {static_cast<std::int64_t>(i) + 1, kRates[i]});
  }
  UpdateRule rule;
  Floats weights;
};

TEST(Lars, IsMomentumWithARateForTheTensor) {
  RuleSpec spec = default_rule(RuleKind::kLars);
  spec.trust = 2;
  spec.weight_decay = 0.1;
  Trained found(spec);
  Doubles w = exact(random_floats(kCount, 1));
  Doubles m(kCount);
  for (std::size_t step = 0; step < 3; ++step) {
    const Doubles g = exact(gradients_of(step));
    const double local = kRates[step] * 2 * norm(w) / (norm(g) + 0.1 * norm(w));
    for (std::size_t i = 0; i < kCount; ++i) {
      m[i] = 0.9 * m[i] + local * (g[i] + 0.1 * w[i]);
      w[i] -= m[i];
    }
  }
  expect_near(found.weights, w, 1e-6);
  EXPECT_EQ(found.rule.state()[0].name, "momentum_buffer");
  expect_near(found.rule.state()[0].values, m, 1e-6);
}

TEST(Lamb, MovesATensorByItsWeightsNorm) {
  for (const auto& [least, most] : {std::pair(0.0, 1e9), std::pair(0.0, 2.0), std::pair(50.0, 100.0)}) {
    RuleSpec spec = default_rule(RuleKind::kLamb);
    spec.weight_decay = 0.1;
    spec.phi_least = least;
    spec.phi_most = most;
    Trained found(spec);
    Doubles w = exact(random_floats(kCount, 1));
    Doubles m(kCount);
    Doubles v(kCount);
    for (std::size_t step = 0; step < 3; ++step) {
      const Doubles g = exact(gradients_of(step));
      const double t = static_cast<double>(step) + 1;
      Doubles u(kCount);
      for (std::size_t i = 0; i < kCount; ++i) {
        m[i] = 0.9 * m[i] + 0.1 * g[i];
        v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
        u[i] =
            m[i] / (1 - std::pow(0.9, t)) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-6) + 0.1 * w[i];
      }
      const double factor = kRates[step] * std::min(std::max(norm(w), least), most) / norm(u);
      for (std::size_t i = 0; i < kCount; ++i) w[i] -= factor * u[i];
    }
    expect_near(found.weights, w, 2e-6);
    EXPECT_EQ(found.rule.state()[0].name, "exp_avg");
    expect_near(found.rule.state()[0].values, m, 1e-6);
    EXPECT_EQ(found.rule.state()[1].name, "exp_avg_sq");
    expect_near(found.rule.state()[1].values, v, 1e-6);
  }
}

TEST(Muon, MovesAMatrixByItsOrthogonalizedMomentum) {
  RuleSpec spec = default_rule(RuleKind::kMuon);
  spec.weight_decay = 0.5;
  for (const TensorShape& shape : {kShape, TensorShape{kColumns, kRows, true}}) {
    const double scale = shape.rows > shape.columns ? std::sqrt(1.5) : 1;
    UpdateRule rule(spec, shape);
    Floats found = random_floats(kCount, 1);
    Doubles w = exact(found);
    Floats m(kCount);
    for (std::size_t step = 0; step < 3; ++step) {
      const Floats g = gradients_of(step);
      rule.apply_tensor(found, g, {static_cast<std::int64_t>(step) + 1, kRates[step]});
      Floats x(kCount);
      for (std::size_t i = 0; i < kCount; ++i) {
        m[i] = 0.95F * m[i] + g[i];
        x[i] = g[i] + 0.95F * m[i];
      }
      orthogonalize_roughly(
          {x, static_cast<std::size_t>(shape.rows), static_cast<std::size_t>(shape.columns)});
      for (std::size_t i = 0; i < kCount; ++i)
        w[i] = w[i] * (1 - kRates[step] * 0.5) - kRates[step] * scale * static_cast<double>(x[i]);
    }
    expect_near(found, w, 1e-6);
    EXPECT_EQ(rule.state()[0].name, "momentum_buffer");
    EXPECT_EQ(bits_of(rule.state()[0].values), bits_of(m));
  }
}

TEST(Muon, UpdatesAVectorByAdamWWithARateOfItsOwn) {
  const RuleSpec spec = default_rule(RuleKind::kMuon);
  RuleSpec adamw = spec;
  adamw.kind = RuleKind::kAdamW;
  UpdateRule rule(spec, vector_of(5));
  UpdateRule expected_rule(adamw, vector_of(5));
  Floats found = {1, 2, 3, 4, 5};
  Floats expected = found;
  for (const std::int64_t number : {1, 2}) {
    rule.apply(found, Floats{1, -2, 0.5F, 3, 0}, 0, {number, 0.02});
    expected_rule.apply(expected, Floats{1, -2, 0.5F, 3, 0}, 0, {number, 0.02 * spec.vector_rate});
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(rule.state()[1].name, "exp_avg_sq");
}

TEST(Lars, TakesTheFullRateWhereANormIsZero) {
  const RuleSpec spec{.kind = RuleKind::kLars, .momentum = 0.5, .weight_decay = 0.5};
  Floats weights(2);
  UpdateRule(spec, {1, 2, true}).apply_tensor(weights, Floats{1, -2}, {1, 0.25});
  EXPECT_EQ(weights, (Floats{-0.25F, 0.5F}));
  weights = {8, -4};
  UpdateRule(spec, {1, 2, true}).apply_tensor(weights, Floats(2), {1, 0.25});
  EXPECT_EQ(weights, (Floats{7, -3.5F}));
}

TEST(Lamb, TakesTheFullRateWhereANormIsZero) {
  RuleSpec spec = default_rule(RuleKind::kLamb);
  Floats weights(2);
  UpdateRule(spec, {1, 2, true}).apply_tensor(weights, Floats{1, -2}, {1, 0.25});
  EXPECT_THAT(weights, testing::Pointwise(testing::FloatNear(1e-6F), Floats{-0.25F, 0.25F}));
  spec.weight_decay = 0;
  weights = {8, -4};
  UpdateRule(spec, {1, 2, true}).apply_tensor(weights, Floats(2), {1, 0.25});
  EXPECT_EQ(weights, (Floats{8, -4}));
}

// No NaN, nothing out of bounds: also for a tensor without elements, and one without dimensions.
TEST(EveryRule, ToleratesZeroGradientsAndEmptyTensors) {
  for (const RuleKind kind : all_rule_kinds()) {
    RuleSpec spec = default_rule(kind);
    spec.weight_decay = 0;
    for (const std::vector<std::int64_t>& sizes :
         std::vector<std::vector<std::int64_t>>{{}, {0}, {3}, {0, 4}, {4, 0}, {2, 3}, {2, 1, 2}}) {
      const TensorShape shape = shape_of(sizes);
      Floats weights(static_cast<std::size_t>(shape.count()), 1.5F);
      const Floats before = weights;
      UpdateRule rule(spec, shape);
      for (const std::int64_t number : {1, 2})
        rule.apply_tensor(weights, Floats(weights.size()), {number, 0.1});
      EXPECT_EQ(weights, before) << name(kind);
    }
  }
}

TEST(EveryRule, GoesOnFromASavedStateAsIfItHadNotStopped) {
  for (const RuleKind kind : all_rule_kinds()) {
    Trained first(default_rule(kind));
    UpdateRule second(default_rule(kind), kShape);
    Floats weights = first.weights;
    const std::vector<RuleState> saved = first.rule.state();
    const std::vector<RuleState> restored = second.state();
    ASSERT_EQ(saved.size(), restored.size());
    for (std::size_t i = 0; i < saved.size(); ++i)
      std::copy(saved[i].values.begin(), saved[i].values.end(), restored[i].values.begin());
    first.rule.apply_tensor(first.weights, gradients_of(4), {4, 0.01});
    second.apply_tensor(weights, gradients_of(4), {4, 0.01});
    EXPECT_EQ(bits_of(weights), bits_of(first.weights)) << name(kind);
  }
}

}  // namespace
}  // namespace trireme::optim
