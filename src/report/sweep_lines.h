// Lines of a drawing that may coincide: where they do, they are drawn in turns, so that each can be seen.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace trireme::report {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

/// By the points of the sweep; nothing where the line has none. From one point that is there it goes straight
/// to the next.
using PlotLine = std::vector<std::optional<PlotPoint>>;

/// A part of a line that coincides with the same others all along.
struct Stroke {
  std::size_t line = 0;
  std::vector<PlotPoint> points;
  std::size_t among = 1;  ///< lines that lie here
  std::size_t turn = 0;   ///< which of them this is, from 0
};

/// Lines coincide between two neighbouring points at which they are less than `near` apart.
[[nodiscard]] std::vector<Stroke> strokes_of(const std::vector<PlotLine>& lines, double near);

/// The point of a line at x; nothing before its first point and behind its last one.
[[nodiscard]] std::optional<PlotPoint> point_at(const PlotLine& line, double x);

}  // namespace trireme::report
