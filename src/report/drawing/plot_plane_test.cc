#include "report/drawing/plot_plane.h"

#include <gtest/gtest.h>

namespace trireme::report {
namespace {

constexpr PlotBounds kPage{.least = {100, 0}, .most = {300, 100}};

TEST(PlotPlane, HasOneScaleSoThatCirclesAreRound) {
  const PlotPlane plane({.least = {0, 0}, .most = {1, 1}}, kPage, 5);
  EXPECT_TRUE(plane.has_one_scale());
  const PlotPoint origin = plane.at({0, 0});
  EXPECT_NEAR(distance(origin, plane.at({1, 0})), distance(origin, plane.at({0, 1})), 1e-9);
  EXPECT_LT(plane.at({0, 1}).y, origin.y);  // upwards
}

TEST(PlotPlane, HasTwoScalesWhereTheDrawingWouldBeEmpty) {
  const PlotPlane plane({.least = {0, 0}, .most = {1, 1000}}, kPage, 5);
  EXPECT_FALSE(plane.has_one_scale());
  EXPECT_GT(distance(plane.at({0, 0}), plane.at({1, 0})), 150);
}

TEST(PlotPlane, ShowsAllPointsWithAMargin) {
  PlotBounds points;
  for (const PlotPoint point : {PlotPoint{2, -1}, {-3, 4}}) points.include(point);
  for (const double most_empty : {1.0, 100.0}) {
    const PlotPlane plane(points, kPage, most_empty);
    for (const PlotPoint point : {PlotPoint{0, 0}, {2, -1}, {-3, 4}}) {
      const PlotPoint at = plane.at(point);
      EXPECT_GT(at.x, 100);
      EXPECT_LT(at.x, 300);
      EXPECT_GT(at.y, 0);
      EXPECT_LT(at.y, 100);
    }
    EXPECT_NEAR(plane.at(plane.shown().least).y, 100, 1e-9);
    EXPECT_NEAR(plane.at(plane.shown().most).x, 300, 1e-9);
  }
}

TEST(PlotPlane, SeesWhichPathsCoincide) {
  const std::vector<PlotPoint> ray = {{0, 0}, {100, 100}};
  EXPECT_TRUE(lies_on({{0, 0}, {50, 51}, {100, 100}}, ray, 2));
  EXPECT_FALSE(lies_on({{0, 0}, {50, 60}}, ray, 2));
  EXPECT_FALSE(lies_on({{110, 110}}, ray, 2));  // beyond its end
}

}  // namespace
}  // namespace trireme::report
