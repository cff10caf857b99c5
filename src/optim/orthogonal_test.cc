#include "optim/orthogonal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "optim/orthogonal_test_util.h"
#include "optim/rule_test_util.h"
#include "optim/targets_test_util.h"

namespace trireme::optim {
namespace {

using Floats = std::vector<float>;
using Method = void (*)(const Matrix&);
constexpr Method kExactMethods[] = {orthogonalize, orthogonalize_by_svd};
constexpr Method kMethods[] = {orthogonalize, orthogonalize_by_svd, orthogonalize_roughly};

Floats result_of(Method method, Floats values, std::size_t rows, std::size_t columns) {
  method({values, rows, columns});
  return values;
}

// Singular values from 1 down to 1e-3, and zeros.
KnownMatrix any_matrix() {
  const auto size = [] {
    return *rc::gen::inRange<std::size_t>(1, *rc::gen::element<std::size_t>(4, 12, 40));
  };
  const std::size_t rows = size();
  const std::size_t columns = size();
  std::vector<double> values(*rc::gen::inRange<std::size_t>(1, std::min(rows, columns) + 1));
  for (double& value : values) value = std::pow(10, -*rc::gen::inRange(0, 3001) / 1000.0);
  values[0] = 1;
  return {rows, columns, values, *rc::gen::arbitrary<std::uint64_t>()};
}

// What the head of orthogonal.h promises for this singular value, relative to 1.
double allowed_error(double value) { return (value < 1.5e-3 ? 1e-3 : 2e-6) + 1e-6 / value; }

RC_GTEST_PROP(Orthogonalize, MakesAllSingularValuesOneByEitherMethod, ()) {
  const KnownMatrix matrix = any_matrix();
  const double scale = std::pow(10, *rc::gen::inRange(-30, 31));
  const std::vector<double> expected = matrix.with_values([](double) { return 1.0; });
  double allowed = 0;
  for (const double value : matrix.singular_values) allowed += allowed_error(value) * allowed_error(value);
  for (const Method method : kExactMethods) {
    const Floats found = result_of(method, matrix.floats(scale), matrix.rows, matrix.columns);
    RC_ASSERT(distance(found, expected) < std::sqrt(allowed));
  }
}

// As the table in orthogonal.h.
TEST(Orthogonalize, TakesSmallSingularValuesForNoise) {
  const std::pair<double, double> table[] = {{1.5e-3, 1},  {1e-3, 0.9997}, {9e-4, 0.995}, {8e-4, 0.95},
                                             {7e-4, 0.75}, {6e-4, 0.32},   {5e-4, 0.05},  {4e-4, 0.0013},
                                             {3e-4, 0},    {1e-4, 0},      {1e-6, 0}};
  for (const auto& [value, expected] : table) {
    const Floats found = result_of(orthogonalize, {1, 0, 0, static_cast<float>(value)}, 2, 2);
    EXPECT_NEAR(found[0], 1, 1e-6) << value;
    EXPECT_NEAR(found[3], expected, 0.005) << value;
  }
}

TEST(OrthogonalizeBySvd, CutsAtAThousandthOfTheLargest) {
  EXPECT_NEAR(result_of(orthogonalize_by_svd, {1, 0, 0, 1.001e-3F}, 2, 2)[3], 1, 1e-6);
  EXPECT_NEAR(result_of(orthogonalize_by_svd, {1, 0, 0, 0.999e-3F}, 2, 2)[3], 0, 1e-6);
}

// The noise of a gradient of low rank is not driven up.
TEST(Orthogonalize, LeavesAMatrixOfLowRankAtItsRank) {
  const KnownMatrix matrix(120, 90, {3, 2, 1.5, 1, 0.1}, 1);
  const std::vector<double> expected = matrix.with_values([](double) { return 1.0; });
  for (const Method method : kExactMethods)
    EXPECT_LT(distance(result_of(method, matrix.floats(), 120, 90), expected), 1e-4);
}

TEST(Orthogonalize, DividesAMatrixOfOneRowOrColumnByItsNorm) {
  for (const Method method : kExactMethods) {
    EXPECT_THAT(result_of(method, {3, 0, -4}, 1, 3),
                testing::Pointwise(testing::FloatNear(1e-7F), Floats{0.6F, 0, -0.8F}));
    EXPECT_THAT(result_of(method, {3, 0, -4}, 3, 1),
                testing::Pointwise(testing::FloatNear(1e-7F), Floats{0.6F, 0, -0.8F}));
    EXPECT_EQ(result_of(method, {-7e-45F}, 1, 1), Floats{-1});
  }
}

TEST(Orthogonalize, LeavesZerosAndEmptyMatrices) {
  for (const Method method : kMethods) {
    EXPECT_EQ(result_of(method, Floats(6), 2, 3), Floats(6));
    EXPECT_EQ(result_of(method, {}, 0, 3), Floats());
    EXPECT_EQ(result_of(method, {}, 3, 0), Floats());
  }
}

TEST(Orthogonalize, MakesWhatIsNotFiniteNaN) {
  for (const Method method : kMethods) {
    for (const float bad : {NAN, INFINITY, -INFINITY})
      EXPECT_THAT(result_of(method, {1, bad, 0, 2, 3, 4}, 2, 3), testing::Each(testing::IsNan()));
  }
}

TEST(Orthogonalize, IsExactWithTheGreatestAndTheLeastNumbers) {
  constexpr float kGreatest = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  for (const Method method : kExactMethods) {
    for (const float value : {kGreatest, kLeast})
      EXPECT_THAT(result_of(method, {value, 0, 0, 0, -value, 0}, 2, 3),
                  testing::Pointwise(testing::FloatNear(1e-6F), Floats{1, 0, 0, 0, -1, 0}));
  }
}

TEST(Orthogonalize, HasTheSameBitsOnEveryInstructionSet) {
  const Floats values = random_floats(37 * 53, 1);
  for (const Method method : kMethods) {
    std::vector<std::vector<std::uint32_t>> found;
    with_each_target([&] { found.push_back(bits_of(result_of(method, values, 37, 53))); });
    EXPECT_THAT(found, testing::Each(found[0]));
  }
}

TEST(Orthogonalize, OfTheTransposeIsTheTranspose) {
  const Floats values = random_floats(5 * 8, 1);
  Floats transposed(values.size());
  for (std::size_t i = 0; i < 40; ++i) transposed[i % 8 * 5 + i / 8] = values[i];
  const Floats found = result_of(orthogonalize, values, 5, 8);
  const Floats other = result_of(orthogonalize, transposed, 8, 5);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(found[i], other[i % 8 * 5 + i / 8]);
}

// The polynomial acts on each singular value by itself.
RC_GTEST_PROP(OrthogonalizeRoughly, AppliesMuonsPolynomialFiveTimes, ()) {
  const KnownMatrix matrix = any_matrix();
  double squares = 0;
  for (const double value : matrix.singular_values) squares += value * value;
  const std::vector<double> expected = matrix.with_values([&](double value) {
    double x = value / std::sqrt(squares);
    for (int i = 0; i < 5; ++i) x = 3.4445 * x - 4.775 * std::pow(x, 3) + 2.0315 * std::pow(x, 5);
    return x;
  });
  const Floats found = result_of(orthogonalize_roughly, matrix.floats(), matrix.rows, matrix.columns);
  RC_ASSERT(distance(found, expected) < 1e-3);
}

TEST(OrthogonalizeRoughly, DoesNotBringUpAMatrixThatIsNearlyZero) {
  double x = 1e-10 / 1e-7;
  for (int i = 0; i < 5; ++i) x = 3.4445 * x - 4.775 * std::pow(x, 3) + 2.0315 * std::pow(x, 5);
  EXPECT_NEAR(result_of(orthogonalize_roughly, {1e-10F, 0, 0, 0}, 2, 2)[0], x, 1e-5);
}

}  // namespace
}  // namespace trireme::optim
