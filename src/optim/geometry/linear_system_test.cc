#include "optim/geometry/linear_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace trireme::optim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::vector<Equation> equations) {
  try {
    const LinearSystem system(std::move(equations));
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(LinearSystem, HasResidualsAndTheGradientOfTheirMeanSquare) {
  const LinearSystem system({{{1, 2}, 3}, {{0, -1}, 4}});
  const std::vector<double> residuals = system.residuals(std::vector<double>{1, -1});
  EXPECT_THAT(residuals, ElementsAre(4, 3));
  EXPECT_THAT(system.gradient(residuals), ElementsAre(-4, -5));  // −(2/2)·(4·(1, 2) + 3·(0, −1))
  EXPECT_EQ(root_mean_square(std::vector<double>{7, 1}), 5);
}

TEST(LinearSystem, RefusesARowOfZerosAndNamesIt) {
  EXPECT_THAT(refusal({{{1, 2}, 3}, {{0, 0}, 0}}), HasSubstr("equation 2: all coefficients are 0"));
}

TEST(LinearSystem, RefusesRowsOfDifferentLength) {
  EXPECT_THAT(refusal({{{1, 2}, 3}, {{1}, 0}}), HasSubstr("equation 2 has 1 coefficient, equation 1 has 2"));
}

TEST(LinearSystem, RefusesNumbersWhoseSquaresWouldBeOutOfRange) {
  EXPECT_THAT(refusal({{{1e60}, 3}}), HasSubstr("equation 1: 1e+60 is too large or too small"));
  EXPECT_THAT(refusal({{{1}, 1e-60}}), HasSubstr("equation 1: 1e-60 is too large or too small"));
}

TEST(LinearSystem, RefusesTooManyOfAnything) {
  EXPECT_THAT(refusal({}), HasSubstr("there is no equation"));
  EXPECT_THAT(refusal({{{}, 1}}), HasSubstr("equation 1 has 0 coefficients"));
  EXPECT_THAT(refusal({{std::vector<double>(1001, 1.0), 1}}), HasSubstr("give from 1 to 1000"));
  EXPECT_THAT(refusal(std::vector<Equation>(1001, {{1}, 1})), HasSubstr("there are 1001 equations"));
  EXPECT_THAT(refusal(std::vector<Equation>(101, {std::vector<double>(1000, 1.0), 1})),
              HasSubstr("give at most 100,000 in all"));
  EXPECT_EQ(refusal(std::vector<Equation>(100, {std::vector<double>(1000, 1.0), 1})), "accepted");
}

}  // namespace
}  // namespace trireme::optim
