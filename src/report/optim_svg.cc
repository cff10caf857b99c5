#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "optim/geometry/least_norm.h"
#include "report/drawing/plot_plane.h"
#include "report/drawing/plot_scale.h"
#include "report/drawing/svg.h"
#include "report/optim_report.h"

namespace trireme::report {
namespace {

constexpr double kWidth = 960;
constexpr double kHeight = 620;
constexpr double kLeft = 90;
constexpr double kRight = 330;  // for the legend
constexpr double kTop = 92;
constexpr double kBottom = 60;
constexpr double kThin = 2.5;   // width of a path
constexpr double kWider = 3.5;  // for each later path on the same line
constexpr double kNear = 2.5;   // what is nearer than this looks like one

PlotPoint first_two(const std::vector<double>& theta) { return {theta[0], theta[1]}; }

std::vector<PlotPoint> path_of(const optim::Descent& descent, const PlotPlane& plane) {
  std::vector<PlotPoint> path;
  path.reserve(descent.path.size());
  for (const optim::PathPoint& point : descent.path) path.push_back(plane.at(first_two(point.theta)));
  return path;
}

// A single solution is where every rule ends, whatever its norm.
bool has_levels(const DescentReport& report) {
  return report.system.unknowns() == 2 && report.solutions.are_many;
}

// One scale matters where the curves of norms are seen: a circle should be round.
PlotPlane plane_of(const DescentReport& report) {
  constexpr double kMostEmpty = 2;
  constexpr double kMostEmptyOfNorms = 5;
  PlotBounds bounds;
  for (const optim::Descent& descent : report.descents) {
    for (const optim::PathPoint& point : descent.path) bounds.include(first_two(point.theta));
  }
  constexpr PlotBounds kPage{.least = {kLeft, kTop}, .most = {kWidth - kRight, kHeight - kBottom}};
  return {bounds, kPage, has_levels(report) ? kMostEmptyOfNorms : kMostEmpty};
}

std::string line_words(PlotPoint from, PlotPoint to, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x, from.y,
                     to.x, to.y, style);
}

std::string points_words(const std::vector<PlotPoint>& points) {
  std::string words;
  const PlotPoint* drawn = nullptr;
  for (const PlotPoint& point : points) {
    if (drawn && distance(*drawn, point) < 0.3 && &point != &points.back()) continue;
    words += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
    drawn = &point;
  }
  return words;
}

// Short enough for the space beside an axis: "100,000", but "1e+06".
std::string axis_words(double mark) {
  constexpr std::size_t kMost = 8;
  const std::string words = mark_words(mark);
  return words.size() <= kMost ? words : fmt::format("{:.3g}", mark);
}

std::string axes(const PlotPlane& plane) {
  std::string svg;
  const auto style = [](double mark) {
    return std::string(mark == 0 ? "stroke=\"#999\"" : "stroke=\"#e4e4e4\"");
  };
  for (const double mark : round_marks(plane.shown().least.x, plane.shown().most.x)) {
    const double x = plane.at({mark, 0}).x;
    svg += line_words({x, kTop}, {x, kHeight - kBottom}, style(mark));
    svg += svg_text(x, kHeight - kBottom + 18, axis_words(mark), "text-anchor=\"middle\"");
  }
  for (const double mark : round_marks(plane.shown().least.y, plane.shown().most.y)) {
    const double y = plane.at({0, mark}).y;
    svg += line_words({kLeft, y}, {kWidth - kRight, y}, style(mark));
    svg += svg_text(kLeft - 8, y + 4, axis_words(mark), "text-anchor=\"end\"");
  }
  const std::string scale = plane.has_one_scale() ? "" : " (the axes have different scales)";
  svg += svg_text((kLeft + kWidth - kRight) / 2, kHeight - 16, "θ1" + scale, "text-anchor=\"middle\"");
  return svg + svg_text(10, (kTop + kHeight - kBottom) / 2, "θ2", "text-anchor=\"middle\"");
}

// A point on the line of solutions and its direction. With more unknowns it is where all others are 0, of one
// equation.
struct SolutionLine {
  PlotPoint through;
  PlotPoint along;
};

std::optional<SolutionLine> solution_line(const DescentReport& report) {
  const optim::LinearSystem& system = report.system;
  if (system.unknowns() > 2 ? system.size() > 1 : !report.solutions.are_many) return std::nullopt;
  const optim::Equation& equation = system.equations().front();
  const PlotPoint a = first_two(equation.coefficients);
  const double square = a.x * a.x + a.y * a.y;
  if (square == 0) return std::nullopt;
  const PlotPoint through = system.unknowns() == 2
                                ? first_two(report.solutions.least)
                                : PlotPoint{equation.right * a.x / square, equation.right * a.y / square};
  return SolutionLine{through, {-a.y, a.x}};
}

// Far beyond the page in both directions; it is clipped.
std::string solutions(const DescentReport& report, const PlotPlane& plane) {
  const std::optional<SolutionLine> line = solution_line(report);
  if (!line) return "";
  const PlotPoint at = plane.at(line->through);
  const PlotPoint next = plane.at({line->through.x + line->along.x, line->through.y + line->along.y});
  const double apart = distance(at, next);
  if (!(apart > 0)) return "";  // coefficients and solutions of very different sizes
  const double far = 2 * (kWidth + kHeight) / apart;
  const PlotPoint step = {far * (next.x - at.x), far * (next.y - at.y)};
  return line_words({at.x - step.x, at.y - step.y}, {at.x + step.x, at.y + step.y},
                    "stroke=\"#c8c8c8\" stroke-width=\"9\"");
}

// The curve on which the norm is as large as at the end of the path.
std::string level(const DescentReport& report, const optim::LeastNorm& least, const optim::Descent& descent,
                  const PlotPlane& plane, std::size_t line) {
  constexpr int kParts = 240;  // corners of squares and diamonds are among them
  const double size = optim::length(report.system, least, descent.end().theta);
  std::vector<PlotPoint> curve;
  for (int part = 0; part <= kParts; ++part) {
    const double angle = 2 * std::numbers::pi * part / kParts;
    const std::vector<double> way = {std::cos(angle), std::sin(angle)};
    const double far = size / optim::length(report.system, least, way);
    curve.push_back(plane.at({far * way[0], far * way[1]}));
  }
  return fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\" stroke-dasharray=\"5 4\"/>\n",
      points_words(curve), line_colour(line));
}

// One curve for each norm, in the colour of the first rule that makes it least.
std::string levels(const DescentReport& report, const PlotPlane& plane) {
  std::vector<std::string> drawn;
  std::string svg;
  for (std::size_t i = 0; i < report.descents.size() && has_levels(report); ++i) {
    const std::optional<optim::LeastNorm> least = least_norm_of(report, report.descents[i]);
    if (!least || std::find(drawn.begin(), drawn.end(), optim::name_of(*least)) != drawn.end()) continue;
    svg += level(report, *least, report.descents[i], plane, i);
    drawn.push_back(optim::name_of(*least));
  }
  return svg;
}

// A path is wider for each later one that is drawn over it, so that the colours of all can be seen.
std::string paths(const std::vector<std::vector<PlotPoint>>& all) {
  constexpr double kApart = 6;  // dots that are nearer to each other would be a line
  std::string svg;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto covers = [&](const auto& later) {
      return lies_on(all[i], later, kNear) || lies_on(later, all[i], kNear);
    };
    const auto above = std::count_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), covers);
    const double width = kThin + kWider * static_cast<double>(above);
    svg += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
        "stroke-linejoin=\"round\"/>\n",
        points_words(all[i]), line_colour(i), width);
    const PlotPoint* last = nullptr;
    for (const PlotPoint& point : all[i]) {
      if (last && distance(*last, point) < kApart) continue;
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>\n", point.x, point.y,
                         width / 2 + 1.5, line_colour(i));
      last = &point;
    }
  }
  return svg;
}

// The rules that end at one point, by their index.
std::vector<std::vector<std::size_t>> common_ends(const std::vector<std::vector<PlotPoint>>& all) {
  constexpr double kTouching = 4;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& others) {
      return distance(all[others.front()].back(), all[i].back()) < kTouching;
    });
    if (group == groups.end()) {
      groups.push_back({i});
    } else {
      group->push_back(i);
    }
  }
  return groups;
}

// The shape of each rule at its end, smaller ones on larger ones.
std::string end_shapes(const std::vector<std::size_t>& group, PlotPoint at) {
  constexpr double kLeast = 1.2;
  constexpr double kGrows = 0.65;
  std::string svg;
  for (std::size_t k = 0; k < group.size(); ++k) {
    svg += line_shape(group[k], at.x, at.y, kLeast + kGrows * static_cast<double>(group.size() - 1 - k));
  }
  return svg;
}

// "sgd, momentum", or "sgd and 3 more" where there is no space for all: the legend has all.
std::string names_of(const DescentReport& report, const std::vector<std::size_t>& group, std::size_t most) {
  std::string words = optim::name_of(report.descents[group.front()].rule);
  if (group.size() > most) return fmt::format("{} and {} more", words, group.size() - 1);
  for (std::size_t k = 1; k < group.size(); ++k)
    words += ", " + optim::name_of(report.descents[group[k]].rule);
  return words;
}

// The shapes, and beside them the names, one above the other.
std::string ends(const DescentReport& report, const std::vector<std::vector<PlotPoint>>& all) {
  constexpr std::size_t kMostNames = 3;
  constexpr double kLetter = 7.5;  // about the width of one
  constexpr double kLine = 16;     // the height of a name
  constexpr double kGutter = 22;   // between the drawing and the legend
  std::vector<std::vector<std::size_t>> groups = common_ends(all);
  const auto end_of = [&](const std::vector<std::size_t>& group) { return all[group.front()].back(); };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const auto& a, const auto& b) { return end_of(a).y < end_of(b).y; });
  std::vector<double> wanted;
  wanted.reserve(groups.size());
  for (const auto& group : groups) wanted.push_back(end_of(group).y - 6);
  const std::vector<double> heights = spread_out(wanted, kLine, kTop + kLine, kHeight - kBottom - 4);
  std::string shapes;
  std::string names;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::vector<std::size_t>& group = groups[i];
    const PlotPoint at = end_of(group);
    const double beside = 12 + 3 * static_cast<double>(group.size());
    const double to_the_right = kWidth - kRight + kGutter - at.x - beside;
    const auto width = [](const std::string& text) { return kLetter * static_cast<double>(text.size()); };
    std::string words = names_of(report, group, kMostNames);
    if (width(words) > std::max(to_the_right, at.x - beside - kLeft)) words = names_of(report, group, 1);
    const bool has_space = width(words) < to_the_right;
    shapes += end_shapes(group, at);
    names += svg_text(at.x + (has_space ? beside : -beside), heights[i], words,
                      fmt::format("text-anchor=\"{}\" fill=\"{}\" font-weight=\"bold\" stroke=\"white\" "
                                  "stroke-width=\"4\" paint-order=\"stroke\"",
                                  has_space ? "start" : "end", line_colour(group.front())));
  }
  return shapes + names;
}

std::string legend(const DescentReport& report) {
  constexpr double kMostOfOne = 42;
  const double x = kWidth - kRight + 28;
  const double apart =
      std::min(kMostOfOne, (kHeight - kBottom - kTop) / static_cast<double>(report.descents.size()));
  std::string svg;
  for (std::size_t i = 0; i < report.descents.size(); ++i) {
    const optim::Descent& descent = report.descents[i];
    const std::optional<optim::LeastNorm> least = least_norm_of(report, descent);
    const double y = kTop + 12 + apart * static_cast<double>(i);
    const PlotPoint end = first_two(descent.end().theta);
    svg += line_shape(i, x, y - 4);
    svg +=
        svg_text(x + 16, y, optim::name_of(descent.rule) + (least ? ": least " + optim::name_of(*least) : ""),
                 fmt::format("font-weight=\"bold\" fill=\"{}\"", line_colour(i)));
    svg += svg_text(x + 16, y + 15,
                    fmt::format("{} ({:.4g}, {:.4g}{})", descent.has_converged ? "ends at" : "has come to",
                                end.x, end.y, report.system.unknowns() > 2 ? ", …" : ""),
                    "fill=\"#444\" font-size=\"12\"");
  }
  return svg;
}

// What is drawn, for which equations, and what the grey line and the dashes mean.
std::string caption(const DescentReport& report) {
  const optim::LinearSystem& system = report.system;
  std::string svg = svg_text(kLeft, 26, "Where update rules end", "font-size=\"15\" font-weight=\"bold\"");
  std::string equations = equation_words(system.equations().front());
  if (system.size() > 1) equations += fmt::format(", and {} more", system.size() - 1);
  if (system.unknowns() > 2) equations += fmt::format(": the first 2 of {} unknowns", system.unknowns());
  svg += svg_text(kLeft, 46, equations + "; every path begins at 0", "fill=\"#444\"");
  double x = kLeft;
  if (solution_line(report)) {
    svg += line_words({x, 68}, {x + 28, 68}, "stroke=\"#c8c8c8\" stroke-width=\"9\"");
    svg += svg_text(x + 36, 72,
                    system.unknowns() > 2    ? "solutions in which the other unknowns are 0"
                    : report.solutions.exist ? "all solutions"
                                             : "all least-squares solutions");
    x += 150 + (system.unknowns() == 2 && report.solutions.exist ? 0 : 90);
  }
  if (!levels(report, plane_of(report)).empty()) {
    svg += line_words({x, 68}, {x + 28, 68}, "stroke=\"#444\" stroke-width=\"1.3\" stroke-dasharray=\"5 4\"");
    svg += svg_text(x + 36, 72, "points with the norm of the end, in the norm that is least there");
  }
  return svg;
}

}  // namespace

std::string to_svg(const DescentReport& report) {
  const PlotPlane plane = plane_of(report);
  std::vector<std::vector<PlotPoint>> all;
  all.reserve(report.descents.size());
  for (const optim::Descent& descent : report.descents) all.push_back(path_of(descent, plane));
  std::string svg = svg_page(kWidth, kHeight) + caption(report) + axes(plane) + legend(report);
  svg += fmt::format(
      "<clipPath id=\"frame\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n"
      "<g clip-path=\"url(#frame)\">\n",
      kLeft, kTop, kWidth - kRight - kLeft, kHeight - kBottom - kTop);
  svg += solutions(report, plane) + levels(report, plane) + paths(all) + "</g>\n";
  return svg + ends(report, all) + "</svg>\n";
}

}  // namespace trireme::report
