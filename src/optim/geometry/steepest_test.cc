#include "optim/geometry/steepest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "optim/geometry/geometry_test_util.h"

namespace trireme::optim {
namespace {

using testing::ElementsAre;
using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// What an update should make least.
double objective(const VectorNorm& norm, const Numbers& gradient, double alpha, const Numbers& change) {
  const double size = length(norm, change);
  return dot(gradient, change) + size * size / alpha;
}

// All vectors of −1, 0 and 1 but zero: among them are the edges along which norms have their corners.
std::vector<Numbers> ways_of(std::size_t size) {
  std::vector<Numbers> ways = {{}};
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<Numbers> longer;
    for (const Numbers& way : ways) {
      for (const double next : {-1.0, 0.0, 1.0}) {
        longer.push_back(way);
        longer.back().push_back(next);
      }
    }
    ways = std::move(longer);
  }
  std::erase_if(ways, [](const Numbers& way) { return length(kL1, way) == 0; });
  return ways;
}

// Walks downhill from 0 along these ways, with shorter and shorter steps. It knows nothing of the formulas.
Numbers minimizer(const VectorNorm& norm, const Numbers& gradient, double alpha) {
  const std::vector<Numbers> ways = ways_of(gradient.size());
  Numbers here(gradient.size());
  double least = objective(norm, gradient, alpha, here);
  for (double step = 16 * alpha; step > 1e-9 * alpha;) {
    bool has_moved = false;
    for (const Numbers& way : ways) {
      Numbers there = here;
      for (std::size_t i = 0; i < there.size(); ++i) there[i] += step * way[i];
      const double value = objective(norm, gradient, alpha, there);
      if (value >= least) continue;
      least = value;
      here = std::move(there);
      has_moved = true;
    }
    if (!has_moved) step /= 2;
  }
  return here;
}

bool has_one_minimizer(const VectorNorm& norm) {
  return norm.kind == VectorNorm::Kind::kL2 || norm.kind == VectorNorm::Kind::kLp;
}

double some_alpha() { return *rc::gen::elementOf(Numbers{0.01, 0.1, 1, 3}); }

RC_GTEST_PROP(Steepest, IsWhereANumericalMinimizerEnds, ()) {
  const VectorNorm norm = *rc::gen::elementOf(std::vector{kL1, kL2, kLinf, lp(1.5), lp(3)});
  const Numbers gradient = *some_vector(1, 3);
  const double alpha = some_alpha();
  const SteepestUpdate steepest = steepest_update(norm, gradient, alpha);
  const Numbers found = minimizer(norm, gradient, alpha);
  const double scale = alpha * (1 + dot(gradient, gradient));
  RC_ASSERT(std::abs(objective(norm, gradient, alpha, found) - steepest.objective) <= 1e-6 * scale);
  if (!has_one_minimizer(norm)) return;
  for (std::size_t i = 0; i < found.size(); ++i) {
    RC_ASSERT(std::abs(found[i] - steepest.update[i]) <= 1e-2 * alpha * (1 + length(kLinf, gradient)));
  }
}

RC_GTEST_PROP(Steepest, IsBeatenByNoOtherUpdateOfTheSamePenalty, ()) {
  const VectorNorm norm = *rc::gen::elementOf(kSomeNorms);
  const Numbers gradient = *some_vector(5, 5);
  const double alpha = some_alpha();
  const SteepestUpdate steepest = steepest_update(norm, gradient, alpha);
  Numbers other =
      *rc::gen::suchThat(some_vector(5, 5), [](const Numbers& one) { return length(kL1, one) > 0; });
  const double factor = length(norm, steepest.update) / length(norm, other);
  for (double& one : other) one *= factor;
  RC_ASSERT(dot(gradient, steepest.update) <= dot(gradient, other) + 1e-12 * alpha * dot(gradient, gradient));
}

RC_GTEST_PROP(Steepest, HasTheObjectiveOfTheFormula, ()) {
  const VectorNorm norm = *rc::gen::elementOf(kSomeNorms);
  const Numbers gradient = *some_vector(1, 6);
  const double alpha = some_alpha();
  const SteepestUpdate steepest = steepest_update(norm, gradient, alpha);
  const double value = objective(norm, gradient, alpha, steepest.update);
  RC_ASSERT(std::abs(value - steepest.objective) <= 1e-12 * std::abs(value));
  RC_ASSERT(std::abs(steepest.objective + alpha / 4 * steepest.dual_norm * steepest.dual_norm) <=
            1e-12 * std::abs(value));
}

TEST(Steepest, StaysWhereTheGradientIsZero) {
  for (const VectorNorm& norm : kSomeNorms) {
    const SteepestUpdate steepest = steepest_update(norm, Numbers{0, 0}, 0.1);
    EXPECT_THAT(steepest.update, ElementsAre(0, 0));
    EXPECT_EQ(steepest.objective, 0);
    EXPECT_FALSE(std::signbit(steepest.objective));
  }
}

TEST(Steepest, RefusesAnAlphaThatIsNotAboveZero) {
  for (const double alpha : {0.0, -0.1, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW((void)steepest_update(kL2, Numbers{1}, alpha), Error) << alpha;
  }
}

}  // namespace
}  // namespace trireme::optim
