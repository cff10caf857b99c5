#include "optim/geometry/descent_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "optim/geometry/geometry_test_util.h"

namespace trireme::optim {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kNames = {"sgd",           "momentum",   "nesterov",
                                         "adam",          "signsgd",    "steepest:l1",
                                         "steepest:lp=3", "epoch-adam", "rescaled-sgd"};

LinearSystem two_equations() { return LinearSystem({{{1, 0, 2}, 1}, {{0, 2, 1}, 3}}); }

std::string promise(const LinearSystem& system, const char* rule) {
  const std::optional<LeastNorm> least = promised(system, parse_descent_rule(rule));
  return least ? name_of(*least) : "nothing";
}

TEST(DescentRule, HasTheNameByWhichItIsRead) {
  for (const std::string& name : kNames) EXPECT_EQ(name_of(parse_descent_rule(name)), name);
}

TEST(DescentRule, RefusesOthersAndListsThem) {
  try {
    (void)parse_descent_rule("lion");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown rule 'lion'; the rules are sgd, momentum, nesterov, adam,"));
  }
  EXPECT_THROW((void)parse_descent_rule("steepest:lp=1"), Error);
}

TEST(DescentRule, PromisesANormForOneEquation) {
  EXPECT_EQ(promise(case_7(), "sgd"), "l2");
  EXPECT_EQ(promise(case_7(), "epoch-adam"), "linf");
  EXPECT_EQ(promise(case_7(), "signsgd"), "linf");
  EXPECT_EQ(promise(case_7(), "steepest:l1"), "l1");
  EXPECT_EQ(promise(case_7(), "steepest:lp=3"), "lp=3");
  EXPECT_EQ(promise(case_7(), "rescaled-sgd"), "rescaled-l2");
  EXPECT_EQ(promise(case_7(), "adam"), "nothing");
}

TEST(DescentRule, PromisesOnlyL2ForMany) {
  for (const char* rule : {"sgd", "momentum", "nesterov", "steepest:l2"}) {
    EXPECT_EQ(promise(two_equations(), rule), "l2") << rule;
  }
  EXPECT_EQ(promise(two_equations(), "rescaled-sgd"), "rescaled-l2");
  for (const char* rule :
       {"adam", "signsgd", "steepest:l1", "steepest:linf", "steepest:lp=3", "epoch-adam"}) {
    EXPECT_EQ(promise(two_equations(), rule), "nothing") << rule;
  }
}

TEST(DescentRule, HasTheLimitsOfTheRateForOneEquation) {
  const auto limit = [](const char* rule) { return rate_limit(case_7(), parse_descent_rule(rule))->rate; };
  EXPECT_NEAR(limit("sgd"), 1 / 1.0101, 1e-12);
  EXPECT_NEAR(limit("momentum"), 1.9 / 1.0101, 1e-12);
  EXPECT_NEAR(limit("nesterov"), 1.9 / 2.8 / 1.0101, 1e-12);
  EXPECT_NEAR(limit("steepest:l2"), 2 / 1.0101, 1e-12);
  EXPECT_NEAR(limit("steepest:linf"), 2 / (1.11 * 1.11), 1e-12);
  EXPECT_NEAR(limit("steepest:l1"), 2, 1e-12);
  EXPECT_NEAR(limit("rescaled-sgd"), 1.0 / 3, 1e-12);
  EXPECT_EQ(rate_limit(case_7(), parse_descent_rule("sgd"))->formula, "1/‖a‖²");
  EXPECT_FALSE(rate_limit(case_7(), parse_descent_rule("signsgd")));
}

TEST(DescentRule, MeasuresRescaledVectors) {
  const LeastNorm least = *promised(case_7(), parse_descent_rule("rescaled-sgd"));
  EXPECT_NEAR(length(case_7(), least, std::vector<double>{3, 40, 1200}), 13, 1e-12);
}

}  // namespace
}  // namespace trireme::optim
