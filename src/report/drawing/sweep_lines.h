// Lines of a drawing that may coincide: there, dashes of each are drawn in turn, so that all can be seen.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace trireme::report {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

/// One entry per point of the sweep; empty where the line has no point. The line goes straight from each
/// point to the next one that exists.
using PlotLine = std::vector<std::optional<PlotPoint>>;

/// A part of a line that coincides with the same other lines from end to end.
struct Stroke {
  std::size_t line = 0;
  std::vector<PlotPoint> points;
  std::size_t among = 1;  ///< number of lines that coincide here
  std::size_t turn = 0;   ///< the index of this one among them, from 0
};

/// Lines coincide between two neighbouring points if they are less than `near` apart at both.
[[nodiscard]] std::vector<Stroke> strokes_of(const std::vector<PlotLine>& lines, double near);

/// The point of a line at x; empty before its first point and after its last.
[[nodiscard]] std::optional<PlotPoint> point_at(const PlotLine& line, double x);

}  // namespace trireme::report
