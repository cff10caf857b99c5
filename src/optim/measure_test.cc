#include "optim/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "optim/orthogonal_test_util.h"
#include "optim/rule.h"
#include "optim/rule_test_util.h"

namespace trireme::optim {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double norm_of(const Doubles& values, double p) {
  double greatest = 0;
  for (const double value : values) greatest = std::max(greatest, std::abs(value));
  if (p == kInfinity || greatest == 0) return greatest;
  double sum = 0;
  for (const double value : values) sum += std::pow(std::abs(value) / greatest, p);
  return greatest * std::pow(sum, 1 / p);
}

/// A norm of vectors: the rule's exponent, and that of the dual norm.
struct VectorNorm {
  RuleSpec spec;
  double p;
  double q;
};

VectorNorm with_p(double p) { return {{.kind = RuleKind::kSteepestLp, .p = p}, p, p / (p - 1)}; }

std::vector<VectorNorm> vector_norms() {
  return {{{.kind = RuleKind::kSteepestLinf}, kInfinity, 1},
          {{.kind = RuleKind::kSteepestL1}, 1, kInfinity},
          {{.kind = RuleKind::kSteepestL2}, 2, 2},
          with_p(1.1),
          with_p(2),
          with_p(3),
          with_p(50)};
}

// The update of weights that are 0.
Doubles update_of(const RuleSpec& spec, const TensorShape& shape, const Floats& gradients, double alpha) {
  Floats weights(gradients.size());
  UpdateRule(spec, shape).apply_tensor(weights, gradients, {1, alpha});
  return {weights.begin(), weights.end()};
}

Doubles update_of(const RuleSpec& spec, const Floats& gradients, double alpha) {
  return update_of(spec, vector_of(std::ssize(gradients)), gradients, alpha);
}

// gᵀΔ + (1/α)·‖Δ‖²
double objective(const Floats& gradients, const Doubles& update, double norm, double alpha) {
  double sum = norm * norm / alpha;
  for (std::size_t i = 0; i < update.size(); ++i) sum += static_cast<double>(gradients[i]) * update[i];
  return sum;
}

Floats any_gradients() {
  const auto count = *rc::gen::inRange<std::size_t>(1, *rc::gen::element<std::size_t>(5, 50, 9000));
  Floats gradients = random_floats(count, *rc::gen::arbitrary<std::uint64_t>());
  for (int zeros = *rc::gen::inRange(0, 3); zeros > 0; --zeros)
    gradients[*rc::gen::inRange<std::size_t>(0, count)] = 0;
  if (count > 2 && *rc::gen::arbitrary<bool>()) gradients[1] = -gradients[0];  // a tie
  return gradients;
}

RC_GTEST_PROP(Steepest, ReachesTheLeastObjective, ()) {
  const Floats gradients = any_gradients();
  const Doubles exact(gradients.begin(), gradients.end());
  const double alpha = *rc::gen::element(0.1, 1.0, 30.0);
  for (const VectorNorm& norm : vector_norms()) {
    const Doubles update = update_of(norm.spec, gradients, alpha);
    const double least = -alpha / 4 * std::pow(norm_of(exact, norm.q), 2);
    RC_ASSERT(std::abs(objective(gradients, update, norm_of(update, norm.p), alpha) - least) <=
              -1e-6 * least);
  }
}

RC_GTEST_PROP(Steepest, IsNotBeatenByAnotherUpdate, ()) {
  const Floats gradients = any_gradients();
  const double alpha = 0.5;
  for (const VectorNorm& norm : vector_norms()) {
    const Doubles update = update_of(norm.spec, gradients, alpha);
    const double size = norm_of(update, norm.p);
    const double least = objective(gradients, update, size, alpha);
    // Near the update and anywhere, of the same norm.
    for (const double share : {1e-3, 0.1, 1.0}) {
      const Floats noise = random_floats(update.size(), *rc::gen::arbitrary<std::uint64_t>());
      Doubles other = update;
      for (std::size_t i = 0; i < other.size(); ++i)
        other[i] = (1 - share) * other[i] + share * size * static_cast<double>(noise[i]);
      const double scale = size / std::max(norm_of(other, norm.p), 1e-300);
      for (double& value : other) value *= scale;
      RC_ASSERT(objective(gradients, other, norm_of(other, norm.p), alpha) >= least + 1e-6 * least);
    }
  }
}

TEST(Steepest, HasTheClosedForms) {
  const Floats gradients = {3, -1, 2};
  EXPECT_EQ(update_of({.kind = RuleKind::kSteepestL2}, gradients, 0.5), (Doubles{-0.75, 0.25, -0.5}));
  EXPECT_EQ(update_of({.kind = RuleKind::kSteepestLinf}, gradients, 0.5), (Doubles{-1.5, 1.5, -1.5}));
  EXPECT_EQ(update_of({.kind = RuleKind::kSteepestL1}, gradients, 0.5), (Doubles{-0.75, 0, 0}));
  const Doubles found = update_of({.kind = RuleKind::kSteepestLp, .p = 3}, gradients, 0.5);
  const double dual = std::pow(std::pow(3, 1.5) + 1 + std::pow(2, 1.5), 2.0 / 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const double g = static_cast<double>(gradients[i]);
    EXPECT_NEAR(found[i], -0.25 * dual * std::copysign(std::sqrt(std::abs(g) / dual), g), 1e-7);
  }
}

TEST(SteepestL1, MovesTheFirstOfTheGreatest) {
  EXPECT_EQ(update_of({.kind = RuleKind::kSteepestL1}, {1, -3, 3, 2}, 2), (Doubles{0, 3, 0, 0}));
}

TEST(Steepest, DoesNotMoveWithoutAGradient) {
  for (const VectorNorm& norm : vector_norms()) {
    EXPECT_EQ(update_of(norm.spec, {0, -0.0F, 0}, 1), Doubles(3));
    EXPECT_EQ(update_of(norm.spec, {}, 1), Doubles());
  }
  for (const bool svd : {false, true})
    EXPECT_EQ(update_of({.kind = RuleKind::kSteepestSpectral, .svd = svd}, {2, 2, true}, Floats(4), 1),
              Doubles(4));
}

TEST(Steepest, TakesTheGreatestAndTheLeastNumbers) {
  for (const VectorNorm& norm : vector_norms()) {
    if (norm.spec.kind == RuleKind::kSteepestL2) continue;
    const Doubles of_greatest = update_of(norm.spec, {1e38F, 0}, 2e-38);
    EXPECT_NEAR(of_greatest[0], -1, 1e-6) << name(norm.spec);
    const Doubles of_least = update_of(norm.spec, {-0x1p-146F, 0}, 0x1p147);
    EXPECT_NEAR(of_least[0], 1, 1e-6) << name(norm.spec);
  }
}

TEST(Steepest, ShowsWhatIsNotFinite) {
  for (const VectorNorm& norm : vector_norms()) {
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      const Doubles update = update_of(norm.spec, {1, bad, 5}, 1);
      EXPECT_THAT(update, testing::Contains(testing::Truly([](double u) { return !std::isfinite(u); })))
          << name(norm.spec) << " " << bad;
    }
  }
}

TEST(Steepest, AddsWeightDecayToTheGradient) {
  for (const VectorNorm& norm : vector_norms()) {
    RuleSpec spec = norm.spec;
    spec.weight_decay = 0.5;
    Floats decayed = {2, -4, 8};
    UpdateRule(spec, vector_of(3)).apply_tensor(decayed, Floats{1, 2, 3}, {1, 0.25});
    Floats plain = {2, -4, 8};
    UpdateRule(norm.spec, vector_of(3)).apply_tensor(plain, Floats{2, 0, 7}, {1, 0.25});
    EXPECT_EQ(decayed, plain) << name(spec);
  }
}

// Another update of the same spectral norm is a sum of singular vectors, each at most times the norm.
RC_GTEST_PROP(SteepestSpectral, ReachesTheLeastObjectiveAndIsNotBeaten, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 20);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 20);
  Doubles singular(*rc::gen::inRange<std::size_t>(1, std::min(rows, columns) + 1), 1);
  for (double& value : singular) value = 5 * std::pow(10, -*rc::gen::inRange(0, 2000) / 1000.0);
  singular[0] = 5;
  const KnownMatrix matrix(rows, columns, singular, *rc::gen::arbitrary<std::uint64_t>());
  const Floats gradients = matrix.floats();
  const double nuclear = std::accumulate(singular.begin(), singular.end(), 0.0);
  const double alpha = 0.5;
  const TensorShape shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), true};
  for (const bool svd : {false, true}) {
    const RuleSpec spec{.kind = RuleKind::kSteepestSpectral, .svd = svd};
    const Doubles update = update_of(spec, shape, gradients, alpha);
    const double size = alpha / 2 * nuclear;  // as the singular values of u are all the same
    const double least = objective(gradients, update, size, alpha);
    RC_ASSERT(std::abs(least + alpha / 4 * nuclear * nuclear) < 1e-4 * nuclear * nuclear);
    const KnownMatrix other(rows, columns, Doubles(std::min(rows, columns), 1),
                            *rc::gen::arbitrary<std::uint64_t>());
    for (const double sign : {-1.0, 1.0}) {
      const Doubles best = other.with_values([&](double) { return sign * size; });
      RC_ASSERT(objective(gradients, best, size, alpha) >= least + 1e-4 * least);
    }
  }
}

// One tensor after another, with one norm for all.
std::vector<Doubles> model_update(RuleSpec spec, const std::vector<TensorShape>& shapes,
                                  const std::vector<Floats>& gradients, double alpha) {
  spec.whole_model = true;
  std::vector<UpdateRule> rules;
  std::vector<Measure> measures;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    rules.emplace_back(spec, shapes[i]);
    measures.push_back(rules[i].measure(Floats(gradients[i].size()), gradients[i]));
  }
  const std::vector<Measure> of_model = measures_of_model(spec, measures);
  std::vector<Doubles> updates;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Floats weights(gradients[i].size());
    rules[i].apply_tensor(weights, gradients[i], {1, alpha}, of_model[i]);
    updates.emplace_back(weights.begin(), weights.end());
  }
  return updates;
}

TEST(Steepest, OfAWholeModelIsThatOfOneLongVector) {
  const std::vector<Floats> parts = {
      random_floats(5, 1), {}, random_floats(5000, 2), Floats(3), {-1.5F, 1.5F}};
  std::vector<TensorShape> shapes;
  Floats all;
  for (const Floats& part : parts) {
    shapes.push_back(vector_of(std::ssize(part)));
    all.insert(all.end(), part.begin(), part.end());
  }
  for (const VectorNorm& norm : vector_norms()) {
    if (norm.spec.kind == RuleKind::kSteepestL2) continue;  // needs no norm
    const Doubles expected = update_of(norm.spec, all, 0.1);
    Doubles found;
    for (const Doubles& part : model_update(norm.spec, shapes, parts, 0.1))
      found.insert(found.end(), part.begin(), part.end());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-5 * std::abs(expected[i]) + 1e-40) << name(norm.spec) << " " << i;
  }
}

TEST(SteepestSpectral, OfAWholeModelHasTheSumOfAllNorms) {
  const RuleSpec spec{.kind = RuleKind::kSteepestSpectral};
  const std::vector<TensorShape> shapes = {{2, 2, true}, vector_of(2)};
  const std::vector<Doubles> found = model_update(spec, shapes, {{2, 0, 0, -1}, {3, 4}}, 0.5);
  EXPECT_THAT(found[0],
              testing::Pointwise(testing::DoubleNear(1e-5), Doubles{-2, 0, 0, 2}));  // 0.25·(2 + 1 + 5)
  EXPECT_THAT(found[1], testing::Pointwise(testing::DoubleNear(1e-5), Doubles{-1.2, -1.6}));
}

TEST(Steepest, OfAWholeModelWithoutGradientsDoesNotMove) {
  for (const VectorNorm& norm : vector_norms()) {
    if (norm.spec.kind == RuleKind::kSteepestL2) continue;
    EXPECT_THAT(model_update(norm.spec, {vector_of(2), vector_of(0)}, {{0, 0}, {}}, 1),
                testing::ElementsAre(Doubles(2), Doubles()));
  }
}

}  // namespace
}  // namespace trireme::optim
