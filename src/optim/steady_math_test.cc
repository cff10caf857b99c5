#include "optim/steady_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trireme::optim {
namespace {

TEST(IntegerPower, IsExactWhereTheAnswerIs) {
  EXPECT_EQ(integer_power(3, 0), 1);
  EXPECT_EQ(integer_power(3, 1), 3);
  EXPECT_EQ(integer_power(3, 33), 5559060566555523.0);
  EXPECT_EQ(integer_power(0.5, 1074), 0x1p-1074);
  EXPECT_EQ(integer_power(0.9, std::int64_t{1} << 60), 0);
  EXPECT_EQ(integer_power(0, 5), 0);
}

TEST(IntegerPower, IsNearTheOneOfTheLibrary) {
  for (const double base : {0.9, 0.95, 0.999, 0.3}) {
    for (std::int64_t exponent = 0; exponent < 500; ++exponent) {
      const double expected = std::pow(base, static_cast<double>(exponent));
      EXPECT_NEAR(integer_power(base, exponent) / expected, 1, 2e-13) << base << "^" << exponent;
    }
  }
}

// So adam's values, and their bits, equal PyTorch's in all early steps.
TEST(IntegerPower, GivesTheSameBiasCorrectionsAsTheLibraryInFloat32) {
  for (std::int64_t step = 1; step <= 20'000; ++step) {
    const auto exponent = static_cast<double>(step);
    EXPECT_EQ(static_cast<float>(0.001 / (1 - integer_power(0.9, step))),
              static_cast<float>(0.001 / (1 - std::pow(0.9, exponent))));
    EXPECT_EQ(static_cast<float>(std::sqrt(1 - integer_power(0.999, step))),
              static_cast<float>(std::sqrt(1 - std::pow(0.999, exponent))));
  }
}

TEST(Power, IsExactAtBothEnds) {
  for (const double exponent : {0.01, 1.0, 2.5, 1e9}) {
    EXPECT_EQ(power(1, exponent), 1);
    EXPECT_EQ(power(0, exponent), 0);
  }
  EXPECT_TRUE(std::isnan(power(NAN, 2)));
}

TEST(Power, IsNearTheOneOfTheLibrary) {
  for (double base = 1; base > 1e-45; base *= 0.91) {
    for (const double exponent : {0.001, 0.25, 0.5, 1.0, 1.7, 3.0, 7.5, 100.0}) {
      const double expected = std::pow(base, exponent);
      const double tolerance = 1e-15 * (1 - std::log2(expected));
      if (expected < 1e-300) continue;
      EXPECT_NEAR(power(base, exponent) / expected, 1, tolerance) << base << "^" << exponent;
    }
  }
}

TEST(Power, BecomesZeroWhereDoubleEnds) {
  EXPECT_EQ(power(0.5, 1074), 0x1p-1074);
  EXPECT_EQ(power(0.5, 1076), 0);
  EXPECT_EQ(power(0.9, 1e300), 0);
}

TEST(CosineOfPiTimes, IsExactAtBothEnds) {
  EXPECT_EQ(cosine_of_pi_times(0), 1);
  EXPECT_EQ(cosine_of_pi_times(1), -1);
}

TEST(CosineOfPiTimes, IsTheCosine) {
  for (int i = 0; i <= 10'000; ++i) {
    const double x = i / 10'000.0;
    EXPECT_NEAR(cosine_of_pi_times(x), std::cos(std::numbers::pi * x), 4e-16) << x;
  }
}

}  // namespace
}  // namespace trireme::optim
