// The worked examples of optimizers that the program must reproduce: update rules from penalties, and where
// optimizers end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "optim/geometry/descent.h"
#include "optim/geometry/geometry_test_util.h"
#include "optim/geometry/steepest.h"

namespace trireme::optim {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;
using Numbers = std::vector<double>;

Descent descend_by(const LinearSystem& system, const char* rule) {
  return descend(system, solve(system), parse_descent_rule(rule), {});
}

// To 1e-6 of each number.
void expect_end(const LinearSystem& system, const char* rule, const Numbers& wanted) {
  const Descent descent = descend_by(system, rule);
  EXPECT_TRUE(descent.has_converged) << rule;
  const Numbers& theta = descent.end().theta;
  ASSERT_EQ(theta.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(theta[i], wanted[i], 1e-6 * std::abs(wanted[i])) << rule << ", " << i;
  }
}

TEST(UpdateRulesFromPenalties, AreTheTable) {
  const Numbers gradient = {3, -1, 2};
  EXPECT_THAT(steepest_update(kL2, gradient, 2).update, ElementsAre(-3, 1, -2));
  EXPECT_THAT(steepest_update(kLinf, gradient, 2).update, ElementsAre(-6, 6, -6));
  EXPECT_THAT(steepest_update(kL1, gradient, 2).update, ElementsAre(-3, 0, 0));
  EXPECT_EQ(steepest_update(kLinf, gradient, 2).objective, -18);
  const SteepestUpdate cubic = steepest_update(lp(3), Numbers{9, -16, 25}, 0.5);
  EXPECT_NEAR(cubic.dual_norm, 36, 1e-12);
  EXPECT_THAT(cubic.update, Pointwise(DoubleNear(1e-12), Numbers{-4.5, 6, -7.5}));
  EXPECT_NEAR(cubic.objective, -162, 1e-10);
}

TEST(UpdateRulesFromPenalties, TakeTheFirstOfEqualElementsUnderL1) {
  EXPECT_THAT(steepest_update(kL1, Numbers{1, -2, 2}, 1).update, ElementsAre(0, 1, 0));
}

TEST(WhereOptimizersEnd, IsTheLeastL2NormForSgd) {
  const Numbers wanted = {10000 / 10101.0, 1000 / 10101.0, 100 / 10101.0};
  for (const char* rule : {"sgd", "momentum", "nesterov", "steepest:l2"}) expect_end(case_7(), rule, wanted);
}

TEST(WhereOptimizersEnd, IsTheLeastLinfNormForSimplifiedAdam) {
  const Numbers wanted = {100 / 111.0, 100 / 111.0, 100 / 111.0};
  for (const char* rule : {"epoch-adam", "signsgd", "steepest:linf"}) expect_end(case_7(), rule, wanted);
  // b·sign(a)/‖a‖₁, and a coordinate without gradient does not move
  for (const char* rule : {"epoch-adam", "signsgd", "steepest:linf"}) {
    expect_end(LinearSystem({{{2, 0, -1}, 3}}), rule, {1, 0, -1});
  }
}

TEST(WhereOptimizersEnd, IsTheLeastNormOfRescaledFeaturesForRescaledSgd) {
  expect_end(case_7(), "rescaled-sgd", {1 / 3.0, 10 / 3.0, 100 / 3.0});
  expect_end(LinearSystem({{{2, 0, -1}, 3}}), "rescaled-sgd", {0.75, 0, -1.5});  // d = 2
}

TEST(WhereOptimizersEnd, IsTheLeastL1NormForGreedyCoordinates) {
  expect_end(case_7(), "steepest:l1", {1, 0, 0});
}

// (A write-up sums them to 1/(1 − 2α‖a‖²).)
TEST(WhereOptimizersEnd, HasResidualsOfSgdThatSumUpToTheFormula) {
  const Descent descent = descend_by(case_7(), "sgd");
  ASSERT_LE(descent.end().step, 100);  // the path has all of them
  double sum = 0;
  for (const PathPoint& point : descent.path) sum += point.residual;
  EXPECT_NEAR(sum, 1 / (2 * *descent.rate * 1.0101), 1e-9);
}

TEST(WhereOptimizersEnd, IsReachedBySgdBelowOneOverTheSquareOfA) {
  EXPECT_NEAR(rate_limit(case_7(), parse_descent_rule("sgd"))->rate, 1 / 1.0101, 1e-12);
}

}  // namespace
}  // namespace trireme::optim
