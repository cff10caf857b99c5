#include "optim/geometry/vector_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "optim/geometry/geometry_test_util.h"

namespace trireme::optim {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  try {
    return name_of(parse_norm(text));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(VectorNorm, HasTheNameByWhichItIsRead) {
  for (const char* name : {"l1", "l2", "linf", "lp=3", "lp=1.5"}) EXPECT_EQ(name_of(parse_norm(name)), name);
}

TEST(VectorNorm, RefusesOthersAndListsThem) {
  for (const char* name : {"", "l3", "L2", "lp", "spectral"}) {
    EXPECT_THAT(refusal(name), HasSubstr("the norms are l1, l2, linf and lp=P with a P above 1")) << name;
  }
}

TEST(VectorNorm, RefusesAPThatIsNotAboveOne) {
  for (const char* name : {"lp=1", "lp=0.5", "lp=-2", "lp=inf", "lp=x", "lp="}) {
    EXPECT_THAT(refusal(name), HasSubstr("is not a number above 1")) << name;
  }
}

TEST(VectorNorm, MeasuresVectorsAndTheirDuals) {
  const std::vector<double> vector = {3, 0, -4};
  EXPECT_EQ(length(kL1, vector), 7);
  EXPECT_EQ(length(kL2, vector), 5);
  EXPECT_EQ(length(kLinf, vector), 4);
  EXPECT_EQ(dual_length(kL1, vector), 4);
  EXPECT_EQ(dual_length(kL2, vector), 5);
  EXPECT_EQ(dual_length(kLinf, vector), 7);
  EXPECT_NEAR(length(lp(3), std::vector<double>{3, -4, 5}), 6, 1e-12);          // 27 + 64 + 125 = 216
  EXPECT_NEAR(dual_length(lp(3), std::vector<double>{9, -16, 25}), 36, 1e-12);  // powers of 3/2
}

TEST(VectorNorm, IsZeroForZeros) {
  for (const VectorNorm& norm : kSomeNorms) {
    EXPECT_EQ(length(norm, std::vector<double>{0, 0}), 0);
    EXPECT_EQ(dual_length(norm, std::vector<double>{0, 0}), 0);
    EXPECT_EQ(dual_direction(norm, std::vector<double>{0, 0}), (std::vector<double>{0, 0}));
  }
}

TEST(VectorNorm, TakesTheFirstOfEqualElementsUnderL1) {
  EXPECT_EQ(dual_direction(kL1, std::vector<double>{1, -2, 2}), (std::vector<double>{0, -1, 0}));
}

TEST(VectorNorm, StaysInRangeForExtremePs) {
  const std::vector<double> vector = {1e40, -3e40, 2e-40};
  for (const double p : {1.0001, 1.5, 50.0, 1e6}) {
    EXPECT_TRUE(std::isfinite(length(lp(p), vector))) << p;
    EXPECT_NEAR(length(lp(p), dual_direction(lp(p), vector)), 1, 1e-9) << p;
  }
  EXPECT_NEAR(length(lp(1e6), vector) / length(kLinf, vector), 1, 1e-4);
}

RC_GTEST_PROP(VectorNorm, HasADualDirectionOfNormOneThatReachesTheDualNorm, ()) {
  const VectorNorm norm = *rc::gen::elementOf(kSomeNorms);
  const std::vector<double> gradient = *some_vector(1, 6);
  const std::vector<double> direction = dual_direction(norm, gradient);
  const double reached = std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
  const double dual = dual_length(norm, gradient);
  RC_ASSERT(std::abs(reached - dual) <= 1e-12 * dual);
  if (dual > 0) RC_ASSERT(std::abs(length(norm, direction) - 1) < 1e-12);
}

RC_GTEST_PROP(VectorNorm, BoundsEveryProductByTheTwoNorms, ()) {
  const VectorNorm norm = *rc::gen::elementOf(kSomeNorms);
  const std::vector<double> gradient = *some_vector(4, 4);
  const std::vector<double> other = *some_vector(4, 4);
  const double product = std::inner_product(gradient.begin(), gradient.end(), other.begin(), 0.0);
  RC_ASSERT(product <= dual_length(norm, gradient) * length(norm, other) * (1 + 1e-12));
}

}  // namespace
}  // namespace trireme::optim
