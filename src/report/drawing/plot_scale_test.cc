#include "report/drawing/plot_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace trireme::report {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

std::vector<double> numbers(int from, int to) {
  std::vector<double> all(static_cast<std::size_t>(to - from + 1));
  std::iota(all.begin(), all.end(), from);
  return all;
}

std::vector<double> marks(const std::vector<double>& values) { return PlotScale(values, {0, 600}).marks(); }

TEST(PlotScale, MarksAllWholeNumbersOfASmallRange) {
  EXPECT_EQ(marks(numbers(1, 8)), numbers(1, 8));
  EXPECT_THAT(marks({2, 3}), ElementsAre(2, 3));
  EXPECT_THAT(marks({1, 2, 4, 8, 16, 32, 64}), ElementsAre(1, 2, 4, 8, 16, 32, 64));
}

TEST(PlotScale, MarksPowersOfTenOfALargeRange) {
  EXPECT_EQ(marks(numbers(1, 1024)), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_LE(
      marks({1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e3, 1e12, 1e15}).size(),
      14U);
}

TEST(PlotScale, MarksRoundNumbersBetween) {
  EXPECT_EQ(marks(numbers(1, 64)), (std::vector<double>{1, 2, 5, 10, 20, 50}));
  std::vector<double> close;
  for (int i = 0; i <= 100; ++i) close.push_back(35 + i * 0.0008);
  EXPECT_THAT(marks(close), Pointwise(DoubleNear(1e-9), {35.0, 35.02, 35.04, 35.06, 35.08}));
}

TEST(PlotScale, HasOneValueInTheMiddle) {
  EXPECT_NEAR(PlotScale({5}, {0, 600}).at(5), 300, 1e-9);
  EXPECT_THAT(marks({5}), ElementsAre(5));
}

TEST(PlotScale, IsLogarithmic) {
  const PlotScale scale({1, 10, 100}, {400, 0});
  EXPECT_NEAR(scale.at(1), 400, 1e-9);
  EXPECT_NEAR(scale.at(10), 200, 1e-9);
  EXPECT_NEAR(scale.at(100), 0, 1e-9);
}

TEST(RoundMarks, AreEqualStepsAlsoBelowZero) {
  EXPECT_THAT(round_marks(-1.2, 2.1), Pointwise(DoubleNear(1e-12), {-1.0, 0.0, 1.0, 2.0}));
  EXPECT_THAT(round_marks(0, 0.35), Pointwise(DoubleNear(1e-12), {0.0, 0.1, 0.2, 0.3}));
  EXPECT_FALSE(std::signbit(round_marks(-0.5, 1).at(3)));
}

TEST(MarkWords, AreWrittenOut) {
  EXPECT_EQ(mark_words(1'000'000), "1,000,000");
  EXPECT_EQ(mark_words(0.02), "0.02");
}

TEST(SpreadOut, KeepsWhatIsApart) {
  EXPECT_THAT(spread_out({10, 30, 60}, 16, 0, 100), ElementsAre(10, 30, 60));
}

TEST(SpreadOut, MovesAsLittleAsMayBe) {
  EXPECT_THAT(spread_out({50, 50, 50}, 16, 0, 100), ElementsAre(34, 50, 66));
  EXPECT_THAT(spread_out({50, 50, 80}, 16, 0, 100), ElementsAre(42, 58, 80));
}

TEST(SpreadOut, StaysInside) {
  EXPECT_THAT(spread_out({98, 99}, 16, 0, 100), ElementsAre(84, 100));
  EXPECT_THAT(spread_out({0, 1}, 16, 0, 100), ElementsAre(0, 16));
  EXPECT_THAT(spread_out({0, 98, 99}, 16, 0, 100), ElementsAre(0, 84, 100));
}

}  // namespace
}  // namespace trireme::report
