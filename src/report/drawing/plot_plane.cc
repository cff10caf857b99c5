#include "report/drawing/plot_plane.h"

#include <algorithm>
#include <cmath>

namespace trireme::report {
namespace {

double distance_to_part(PlotPoint point, PlotPoint from, PlotPoint to) {
  const double length = distance(from, to);
  if (length == 0) return distance(point, from);
  const double along = ((point.x - from.x) * (to.x - from.x) + (point.y - from.y) * (to.y - from.y)) / length;
  const double share = std::clamp(along / length, 0.0, 1.0);
  return distance(point, {from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
}

}  // namespace

void PlotBounds::include(PlotPoint point) {
  least = {std::min(least.x, point.x), std::min(least.y, point.y)};
  most = {std::max(most.x, point.x), std::max(most.y, point.y)};
}

PlotPlane::PlotPlane(PlotBounds points, PlotBounds page, double most_empty) : page_(page) {
  constexpr double kMargin = 0.14;
  for (double PlotPoint::*axis : {&PlotPoint::x, &PlotPoint::y}) {
    double size = points.most.*axis - points.least.*axis;
    if (size <= 0) size = 1;
    points.least.*axis -= kMargin * size;
    points.most.*axis += kMargin * size;
    scale_.*axis = (page.most.*axis - page.least.*axis) / (points.most.*axis - points.least.*axis);
  }
  has_one_scale_ = std::max(scale_.x, scale_.y) < most_empty * std::min(scale_.x, scale_.y);
  if (has_one_scale_) scale_.x = scale_.y = std::min(scale_.x, scale_.y);
  for (double PlotPoint::*axis : {&PlotPoint::x, &PlotPoint::y}) {
    const double middle = (points.least.*axis + points.most.*axis) / 2;
    const double half = (page.most.*axis - page.least.*axis) / (scale_.*axis) / 2;
    shown_.least.*axis = middle - half;
    shown_.most.*axis = middle + half;
  }
}

PlotPoint PlotPlane::at(PlotPoint point) const {
  return {page_.least.x + (point.x - shown_.least.x) * scale_.x,
          page_.most.y - (point.y - shown_.least.y) * scale_.y};
}

double distance(PlotPoint a, PlotPoint b) { return std::hypot(a.x - b.x, a.y - b.y); }

bool lies_on(const std::vector<PlotPoint>& path, const std::vector<PlotPoint>& other, double near) {
  return std::all_of(path.begin(), path.end(), [&](PlotPoint point) {
    for (std::size_t i = 1; i < other.size(); ++i) {
      if (distance_to_part(point, other[i - 1], other[i]) < near) return true;
    }
    return false;
  });
}

}  // namespace trireme::report
