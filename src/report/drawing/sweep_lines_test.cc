#include "report/drawing/sweep_lines.h"

#include <gtest/gtest.h>

namespace trireme::report {
namespace {

PlotLine line(const std::vector<std::optional<double>>& heights) {
  PlotLine points;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    points.push_back(heights[i] ? std::optional(PlotPoint{10.0 * static_cast<double>(i), *heights[i]})
                                : std::nullopt);
  }
  return points;
}

TEST(Strokes, OfLinesApartAreWhole) {
  const std::vector<Stroke> strokes = strokes_of({line({1, 2, 3}), line({11, 12, 13})}, 1.5);
  ASSERT_EQ(strokes.size(), 2U);
  EXPECT_EQ(strokes[0].points.size(), 3U);
  EXPECT_EQ(strokes[0].among, 1U);
}

TEST(Strokes, OfLinesThatCoincideTakeTurns) {
  const std::vector<Stroke> strokes = strokes_of({line({1, 1, 1}), line({1, 1, 9}), line({1, 1, 1})}, 1.5);
  ASSERT_EQ(strokes.size(), 6U);  // all three together, and then two of them
  for (const std::size_t first : {0U, 2U, 4U}) {
    EXPECT_EQ(strokes[first].among, 3U);
    EXPECT_EQ(strokes[first].turn, first / 2);
    EXPECT_EQ(strokes[first].points.size(), 2U);
  }
  EXPECT_EQ(strokes[1].among, 2U);
  EXPECT_EQ(strokes[3].among, 1U);
  EXPECT_EQ(strokes[5].turn, 1U);
}

// They meet at one point only: that is crossing, not coinciding.
TEST(Strokes, ThatCrossAreWhole) {
  EXPECT_EQ(strokes_of({line({1, 5, 9}), line({9, 5, 1})}, 1.5).size(), 2U);
}

TEST(Strokes, GoOverGaps) {
  const std::vector<Stroke> strokes = strokes_of({line({1, std::nullopt, 1}), line({1, 1, 1})}, 1.5);
  ASSERT_EQ(strokes.size(), 2U);
  EXPECT_EQ(strokes[0].points.size(), 2U);
  EXPECT_EQ(strokes_of({line({std::nullopt, 1, std::nullopt})}, 1.5).size(), 0U);
}

TEST(PointAt, LiesBetweenThePoints) {
  const PlotLine some = line({std::nullopt, 4, std::nullopt, 8});
  EXPECT_EQ(point_at(some, 20)->y, 6);
  EXPECT_EQ(point_at(some, 10)->y, 4);
  EXPECT_EQ(point_at(some, 30)->y, 8);
  EXPECT_FALSE(point_at(some, 9));
  EXPECT_FALSE(point_at(some, 31));
}

}  // namespace
}  // namespace trireme::report
