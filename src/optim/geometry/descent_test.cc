#include "optim/geometry/descent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/error.h"
#include "optim/geometry/geometry_test_util.h"

namespace trireme::optim {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using Numbers = std::vector<double>;

Descent descend_by(const LinearSystem& system, const std::string& rule, std::optional<double> rate = {}) {
  return descend(system, solve(system), parse_descent_rule(rule), rate);
}

void expect_near(const Numbers& numbers, const Numbers& wanted, const std::string& rule) {
  ASSERT_EQ(numbers.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(numbers[i], wanted[i], 1e-6 * std::abs(wanted[i])) << rule << ", " << i;
  }
}

void expect_end(const LinearSystem& system, const std::string& rule, const Numbers& wanted,
                std::optional<double> rate = {}) {
  const Descent descent = descend_by(system, rule, rate);
  EXPECT_TRUE(descent.has_converged) << rule;
  expect_near(descent.end().theta, wanted, rule);
}

std::string refusal(const LinearSystem& system, const std::string& rule, double rate) {
  try {
    (void)descend_by(system, rule, rate);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Descent, OfEpochAdamHalvesItsRateWhereTheResidualChangesItsSign) {
  expect_end(case_7(), "epoch-adam", {100 / 111.0, 100 / 111.0, 100 / 111.0}, 0.3);
  expect_end(case_7(), "epoch-adam", {100 / 111.0, 100 / 111.0, 100 / 111.0}, 1000);
}

TEST(Descent, HalvesTheResidualOfOneEquationInEachStepOfSgd) {
  const Descent descent = descend_by(case_7(), "sgd");
  ASSERT_GT(descent.path.size(), 3U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(descent.path[i].step, static_cast<std::int64_t>(i));
    EXPECT_NEAR(descent.path[i].residual, std::pow(0.5, i), 1e-12);
  }
  EXPECT_NEAR(*descent.rate, 0.25 / 1.0101, 1e-12);
  EXPECT_THAT(descent.end().step, AllOf(Ge(35), Le(45)));
}

TEST(Descent, ConvergesBelowTheLimitOfTheRateAndNotAboveIt) {
  for (const char* rule : {"sgd", "momentum", "nesterov", "steepest:l2", "steepest:linf", "steepest:l1",
                           "steepest:lp=3", "rescaled-sgd"}) {
    const double limit = rate_limit(case_7(), parse_descent_rule(rule))->rate;
    EXPECT_EQ(refusal(case_7(), rule, 0.99 * limit), "accepted") << rule;
    EXPECT_THAT(refusal(case_7(), rule, 1.01 * limit), HasSubstr("the largest stable one")) << rule;
  }
}

TEST(Descent, NamesTheLargestStableRate) {
  EXPECT_THAT(
      refusal(case_7(), "sgd", 2),
      HasSubstr("sgd does not converge with a rate of 2: after 7 steps the residual has grown from 1 to "
                "2.4e+03; give a rate below 0.990001, the largest stable one (1/‖a‖²)"));
  // At the limit itself the residual goes to and fro.
  EXPECT_THAT(refusal(LinearSystem({{{1}, 1}}), "sgd", 1),
              HasSubstr("after 1000000 steps the residual is 1"));
}

TEST(Descent, RefusesARateThatIsNotAboveZero) {
  for (const double rate : {0.0, -1.0, std::nan("")})
    EXPECT_THAT(refusal(case_7(), "sgd", rate), HasSubstr("the rate is"));
}

TEST(Descent, EndsAtTheLeastSquaresIfThereIsNoSolution) {
  const LinearSystem system({{{1, 1}, 1}, {{1, 1}, 3}});
  for (const char* rule : {"sgd", "epoch-adam", "signsgd", "rescaled-sgd"}) expect_end(system, rule, {1, 1});
}

TEST(Descent, IsThereAtOnceIfZeroIsTheSolution) {
  for (const char* rule : {"sgd", "adam", "epoch-adam"}) {
    const Descent descent = descend_by(LinearSystem({{{1, 2}, 0}}), rule);
    EXPECT_TRUE(descent.has_converged);
    EXPECT_EQ(descent.end().step, 0);
  }
}

TEST(Descent, EndsAfterALimitOfSteps) {
  const Descent descent = descend_by(case_7(), "sgd", 1e-12);
  EXPECT_FALSE(descent.has_converged);
  EXPECT_EQ(descent.end().step, 1'000'000);
  EXPECT_LT(descent.path.size(), 400U);
}

// Every rule without exception comes to a solution, and where a norm is promised it is least there.
RC_GTEST_PROP(Descent, OfManyEquationsEndsAtASolutionAndKeepsItsPromise, ()) {
  const std::size_t equations = *rc::gen::inRange<std::size_t>(1, 4);
  std::vector<Equation> all;
  for (std::size_t i = 0; i < equations; ++i) {
    Numbers row(5);
    for (double& one : row) one = *rc::gen::inRange(-2, 3);
    row[i] += 6;  // far from dependent on the others
    all.push_back({row, static_cast<double>(*rc::gen::inRange(-3, 4))});
  }
  const LinearSystem system(all);
  const char* rule =
      *rc::gen::element("sgd", "momentum", "nesterov", "adam", "signsgd", "steepest:l1", "steepest:l2",
                        "steepest:linf", "steepest:lp=3", "epoch-adam", "rescaled-sgd");
  const Descent descent = descend_by(system, rule);
  RC_ASSERT(descent.has_converged);
  const std::optional<LeastNorm> least = promised(system, descent.rule);
  if (!least) return;
  const Numbers wanted = least_solution(system, *least);
  const double close = 1e-6 * (1 + length(kLinf, wanted));
  RC_ASSERT(std::abs(length(system, *least, descent.end().theta) - length(system, *least, wanted)) < close);
}

}  // namespace
}  // namespace trireme::optim
