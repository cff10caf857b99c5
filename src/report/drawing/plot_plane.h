// A drawing in two dimensions with linear axes: where a point is on the page, and which paths coincide there.
#pragma once

#include <vector>

#include "report/drawing/sweep_lines.h"

namespace trireme::report {

/// A rectangle, at first the origin alone.
struct PlotBounds {
  PlotPoint least{};
  PlotPoint most{};

  void include(PlotPoint point);
};

class PlotPlane {
 public:
  /// Shows at least these points, with a margin around them. Both axes have one scale, so that circles are
  /// round, unless the page would be more than `most_empty` times as long as what it shows.
  PlotPlane(PlotBounds points, PlotBounds page, double most_empty);

  /// Where a point is on the page; there, y grows downwards.
  [[nodiscard]] PlotPoint at(PlotPoint point) const;

  /// All that the page shows.
  [[nodiscard]] const PlotBounds& shown() const { return shown_; }
  [[nodiscard]] bool has_one_scale() const { return has_one_scale_; }

 private:
  PlotBounds page_;
  PlotBounds shown_;
  PlotPoint scale_;
  bool has_one_scale_;
};

[[nodiscard]] double distance(PlotPoint a, PlotPoint b);

/// Whether each point of a path is nearer than `near` to the other path, which goes straight from point to
/// point.
[[nodiscard]] bool lies_on(const std::vector<PlotPoint>& path, const std::vector<PlotPoint>& other,
                           double near);

}  // namespace trireme::report
