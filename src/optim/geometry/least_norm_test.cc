#include "optim/geometry/least_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "optim/geometry/geometry_test_util.h"

namespace trireme::optim {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;
using Numbers = std::vector<double>;

auto are_near(const Numbers& numbers) { return Pointwise(DoubleNear(1e-12), numbers); }

TEST(LeastNorm, IsSolvedForManyEquations) {
  const Solutions solutions = solve(LinearSystem({{{1, 1, 0}, 2}, {{0, 1, 1}, 2}}));
  EXPECT_TRUE(solutions.exist);
  EXPECT_TRUE(solutions.are_many);
  EXPECT_THAT(solutions.least, are_near({2.0 / 3, 4.0 / 3, 2.0 / 3}));
}

TEST(LeastNorm, IsThatOfTheOnlySolution) {
  const Solutions solutions = solve(LinearSystem({{{2, 0}, 2}, {{1, 1}, 4}, {{1, 2}, 7}}));
  EXPECT_TRUE(solutions.exist);
  EXPECT_FALSE(solutions.are_many);
  EXPECT_THAT(solutions.least, are_near({1, 3}));
}

TEST(LeastNorm, IsThatOfLeastSquaresIfThereIsNoSolution) {
  const Solutions solutions = solve(LinearSystem({{{1, 0}, 1}, {{1, 0}, 3}}));
  EXPECT_FALSE(solutions.exist);
  EXPECT_TRUE(solutions.are_many);
  EXPECT_THAT(solutions.least, are_near({2, 0}));
}

TEST(LeastNorm, SeesThatSmallEquationsContradictEachOther) {
  EXPECT_FALSE(solve(LinearSystem({{{1e-20}, 1e-20}, {{1e20}, 2e20}})).exist);
  EXPECT_TRUE(solve(LinearSystem({{{1e-20}, 2e-20}, {{1e20}, 2e20}})).exist);
}

TEST(LeastNorm, HasScalesOfTheFeaturesThatLeaveZerosAlone) {
  EXPECT_THAT(feature_scales(LinearSystem({{{1, 0, 3}, 1}, {{-7, 0, 3}, 1}})), ElementsAre(5, 1, 3));
}

TEST(LeastNorm, HasTheLargestEigenvalueOfWideAndTallSystems) {
  const Numbers ones = {1, 1, 1};
  EXPECT_NEAR(largest_eigenvalue(case_7(), ones), 1.0101, 1e-12);
  EXPECT_NEAR(largest_eigenvalue(LinearSystem({{{3}, 1}, {{4}, 1}}), Numbers{1}), 12.5, 1e-12);
  EXPECT_NEAR(largest_eigenvalue(case_7(), feature_scales(case_7())), 3, 1e-12);
}

// Any other solution differs by a vector across a.
RC_GTEST_PROP(LeastNorm, IsTheLeastOfAllSolutionsOfOneEquation, ()) {
  const VectorNorm norm = *rc::gen::elementOf(kSomeNorms);
  const Numbers a =
      *rc::gen::suchThat(some_vector(3, 3), [](const Numbers& one) { return length(kL1, one) > 0; });
  const Equation equation{a, *rc::gen::elementOf(Numbers{-2, 0, 1})};
  const Numbers least = least_of_one(equation, norm);
  RC_ASSERT(std::abs(LinearSystem({equation}).residuals(least).front()) < 1e-12);
  Numbers other = *some_vector(3, 3);
  const double along = std::inner_product(a.begin(), a.end(), other.begin(), 0.0) /
                       std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
  for (std::size_t i = 0; i < other.size(); ++i) other[i] += least[i] - along * a[i];
  RC_ASSERT(length(norm, least) <= length(norm, other) * (1 + 1e-12) + 1e-12);
}

RC_GTEST_PROP(LeastNorm, OfL2IsTheFormulaForOneEquation, ()) {
  const Numbers a =
      *rc::gen::suchThat(some_vector(1, 4), [](const Numbers& one) { return length(kL1, one) > 0; });
  const Equation equation{a, 3};
  const Numbers solved = solve(LinearSystem({equation})).least;
  const Numbers formula = least_of_one(equation, kL2);
  for (std::size_t i = 0; i < a.size(); ++i)
    RC_ASSERT(std::abs(solved[i] - formula[i]) < 1e-12 * length(kLinf, formula));
}

}  // namespace
}  // namespace trireme::optim
