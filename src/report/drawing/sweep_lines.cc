#include "report/drawing/sweep_lines.h"

#include <algorithm>
#include <cmath>

namespace trireme::report {
namespace {

// The lines that coincide with this one from the previous point to this point, including itself.
std::vector<std::size_t> company(const std::vector<PlotLine>& lines, std::size_t line, std::size_t point,
                                 double near) {
  const auto is_near = [&](std::size_t other, std::size_t at) {
    return lines[other][at] && std::abs(lines[other][at]->y - lines[line][at]->y) < near;
  };
  std::vector<std::size_t> all;
  for (std::size_t other = 0; other < lines.size(); ++other) {
    if (is_near(other, point - 1) && is_near(other, point)) all.push_back(other);
  }
  return all;
}

}  // namespace

std::vector<Stroke> strokes_of(const std::vector<PlotLine>& lines, double near) {
  std::vector<Stroke> strokes;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::vector<std::size_t> last_company;
    const std::optional<PlotPoint>* last = nullptr;
    for (std::size_t point = 0; point < lines[line].size(); ++point) {
      const std::optional<PlotPoint>& here = lines[line][point];
      if (!here) continue;
      if (last != nullptr) {
        const bool is_neighbour = last + 1 == &here;  // after a gap it is drawn by itself
        const std::vector<std::size_t> now =
            is_neighbour ? company(lines, line, point, near) : std::vector<std::size_t>{line};
        if (now != last_company) {
          const auto turn = std::find(now.begin(), now.end(), line) - now.begin();
          strokes.push_back({line, {**last}, now.size(), static_cast<std::size_t>(turn)});
          last_company = now;
        }
        strokes.back().points.push_back(*here);
      }
      last = &here;
    }
  }
  return strokes;
}

std::optional<PlotPoint> point_at(const PlotLine& line, double x) {
  std::optional<PlotPoint> before;
  for (const std::optional<PlotPoint>& here : line) {
    if (!here) continue;
    if (here->x >= x) {
      if (here->x == x) return here;
      if (!before) return std::nullopt;
      const double part = (x - before->x) / (here->x - before->x);
      return PlotPoint{x, before->y + part * (here->y - before->y)};
    }
    before = here;
  }
  return std::nullopt;
}

}  // namespace trireme::report
