#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/drawing/plot_scale.h"
#include "report/drawing/svg.h"
#include "report/drawing/sweep_lines.h"
#include "report/sweep_report.h"

namespace trireme::report {
namespace {

constexpr double kWidth = 880;
constexpr double kHeight = 580;
constexpr double kLeft = 90;
constexpr double kRight = 190;  // for the names of the lines
constexpr double kTop = 100;
constexpr double kBottom = 60;
constexpr double kLine = 17;   // height of a line of text
constexpr double kNear = 2.5;  // lines nearer than this look like one

bool has_unit(const SweepPoint& point, const std::string& unit) {
  const std::size_t space = point.value.find(' ');
  return (space == std::string::npos ? "" : point.value.substr(space + 1)) == unit;
}

// Ascending numbers above 0 in one unit; anything else cannot be put on a scale.
bool has_scale(const SweepReport& report) {
  const std::string unit = unit_of(report);
  double last = 0;
  for (const SweepPoint& point : report.points) {
    if (!has_unit(point, unit) || value_of(point) <= last) return false;
    last = value_of(point);
  }
  return true;
}

// The positions of the sweep's points, and the labels below some of them.
struct Across {
  struct Mark {
    double x;
    std::string words;
  };
  bool is_scale = false;
  std::vector<double> at;  // by point
  std::vector<Mark> marks;
};

Across across_scale(const SweepReport& report) {
  std::vector<double> values;
  for (const SweepPoint& point : report.points) values.push_back(value_of(point));
  const PlotScale scale(values, {kLeft, kWidth - kRight});
  Across across{.is_scale = true, .at = {}, .marks = {}};
  for (const double value : values) across.at.push_back(scale.at(value));
  for (const double mark : scale.marks()) across.marks.push_back({scale.at(mark), mark_words(mark)});
  return across;
}

// The values as words, one beside the other.
Across across_page(const SweepReport& report) {
  constexpr std::size_t kMostMarks = 8;
  const std::size_t count = report.points.size();
  const std::size_t stride = (count + kMostMarks - 1) / kMostMarks;
  Across across;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    across.at.push_back(kLeft + part * (kWidth - kRight - kLeft));
    if (i % stride == 0) across.marks.push_back({across.at.back(), report.points[i].value});
  }
  return across;
}

PlotScale scale_of_times(const SweepReport& report) {
  constexpr double kMargin = 0.04;
  std::vector<double> times;
  for (const SweepPoint& point : report.points) {
    for (const std::optional<double>& seconds : point.seconds) {
      if (seconds && *seconds > 0) times.push_back(*seconds);
    }
  }
  return {times, {kHeight - kBottom, kTop}, kMargin};
}

std::string axes(const SweepReport& report, const Across& across, const PlotScale& times) {
  std::string svg;
  for (const Across::Mark& mark : across.marks) {
    svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ddd\"/>\n",
                       mark.x, kTop, kHeight - kBottom);
    svg += svg_text(mark.x, kHeight - kBottom + 20, mark.words, "text-anchor=\"middle\"");
  }
  for (const double mark : times.marks()) {
    svg += fmt::format("<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>\n",
                       times.at(mark), kLeft, kWidth - kRight);
    svg += svg_text(kLeft - 8, times.at(mark) + 4, mark_words(mark), "text-anchor=\"end\"");
  }
  const std::string unit = across.is_scale && !unit_of(report).empty() ? " in " + unit_of(report) : "";
  svg += svg_text((kLeft + kWidth - kRight) / 2, kHeight - 15,
                  report.key + unit + (across.is_scale ? ", log scale" : ""), "text-anchor=\"middle\"");
  const double middle = (kTop + kHeight - kBottom) / 2;
  svg += svg_text(22, middle, "time in all in seconds, log scale",
                  fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 22 {:.1f})\"", middle));
  return svg;
}

// A dot on a line that marks an approximate time.
std::string near_dot(PlotPoint at, const char* colour) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"white\" stroke=\"{}\"/>\n", at.x,
                     at.y, colour);
}

// Explains the circles and the dots, if there are any.
std::string key(const SweepReport& report) {
  constexpr double kWidthOfCircles = 280;
  std::string svg;
  double x = kLeft;
  if (!crossings(report).empty()) {
    svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"6\" fill=\"none\" stroke=\"#333\"/>\n", x + 6,
                       kTop - 16);
    svg += svg_text(x + 18, kTop - 12, "another strategy becomes the fastest");
    x += kWidthOfCircles;
  }
  if (!has_near(report)) return svg;
  svg += near_dot({x + 6, kTop - 16}, "#333");
  return svg + svg_text(x + 18, kTop - 12, "about (exact: trireme simulate)");
}

// The title: what is drawn, for which job, in up to two lines, and what the circles and the dots mean.
std::string caption(const SweepReport& report) {
  constexpr std::size_t kColumns = 118;
  const bool compares = report.strategies.size() > 1;
  std::string svg =
      svg_text(kLeft, 24, compares ? "Time in all by each strategy" : "Time in all, " + report.strategies[0],
               "font-size=\"15\" font-weight=\"bold\"");
  std::vector<std::string> lines(1);
  for (const std::string& part : report.job) {
    if (!lines.back().empty()) lines.back() += ", ";
    if (lines.back().size() + part.size() > kColumns) lines.emplace_back();
    lines.back() += part;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    svg += svg_text(kLeft, 44 + kLine * static_cast<double>(i), lines[i], "fill=\"#444\"");
  }
  return svg + key(report);
}

std::vector<PlotLine> lines_of(const SweepReport& report, const Across& across, const PlotScale& times) {
  std::vector<PlotLine> lines(report.strategies.size());
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const std::optional<double>& seconds = report.points[i].seconds[line];
      const bool is_there = seconds && *seconds > 0;
      lines[line].push_back(is_there ? std::optional(PlotPoint{across.at[i], times.at(*seconds)})
                                     : std::nullopt);
    }
  }
  return lines;
}

// Points that cannot be distinguished from the previous one are left out, except the last.
std::string polyline(const std::vector<PlotPoint>& points, std::size_t line, const std::string& dashes = "") {
  constexpr double kSame = 1;
  std::string words;
  const PlotPoint* drawn = nullptr;
  for (const PlotPoint& point : points) {
    const bool is_same =
        drawn && std::abs(point.x - drawn->x) < kSame && std::abs(point.y - drawn->y) < kSame;
    if (is_same && &point != &points.back()) continue;
    words += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
    drawn = &point;
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"{}/>\n", words,
                     line_colour(line), dashes);
}

// Draws all lines, and dashes of each in turn where lines coincide.
std::string curves(const std::vector<PlotLine>& lines) {
  constexpr std::size_t kDash = 9;
  std::string svg;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<PlotPoint> points;
    for (const std::optional<PlotPoint>& point : lines[i]) {
      if (point) points.push_back(*point);
    }
    if (!points.empty()) svg += polyline(points, i);
  }
  for (const Stroke& stroke : strokes_of(lines, kNear)) {
    if (stroke.among == 1) continue;
    svg += polyline(stroke.points, stroke.line,
                    fmt::format(" stroke-dasharray=\"{} {}\" stroke-dashoffset=\"-{}\"", kDash,
                                kDash * (stroke.among - 1), kDash * stroke.turn));
  }
  return svg;
}

// Leaves out dots that would touch the previous one on their line.
std::string near_dots(const SweepReport& report, const std::vector<PlotLine>& lines) {
  constexpr double kApart = 15;  // about 40 on a line
  std::vector<std::optional<PlotPoint>> last(lines.size());
  std::string svg;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    for (const std::size_t line : report.points[i].about) {
      const std::optional<PlotPoint>& at = lines[line][i];
      if (!at || (last[line] && std::abs(at->x - last[line]->x) < kApart)) continue;
      svg += near_dot(*at, line_colour(line));
      last[line] = at;
    }
  }
  return svg;
}

// Draws the shape of each line a few times. Lines take turns, so that the shapes of coinciding lines are side
// by side.
std::string shapes(const std::vector<PlotLine>& lines) {
  constexpr std::size_t kTimes = 3;
  const std::size_t places = kTimes * lines.size();
  std::string svg;
  for (std::size_t place = 0; place < places; ++place) {
    const double part = (static_cast<double>(place) + 0.5) / static_cast<double>(places);
    const std::size_t line = place % lines.size();
    const bool is_point = lines[line].size() == 1;
    const std::optional<PlotPoint> at =
        is_point ? lines[line][0] : point_at(lines[line], kLeft + part * (kWidth - kRight - kLeft));
    if (at) svg += line_shape(line, at->x, at->y);
  }
  return svg;
}

// Names at the right edge, each as near to the end of its line as there is space, and connected to it.
std::string names(const SweepReport& report, const std::vector<PlotLine>& lines) {
  struct Name {
    std::size_t line;
    PlotPoint end;
  };
  std::vector<Name> all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto end =
        std::find_if(lines[i].rbegin(), lines[i].rend(), [](const auto& point) { return point.has_value(); });
    if (end != lines[i].rend()) all.push_back({i, **end});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Name& a, const Name& b) { return a.end.y < b.end.y - 0.05; });
  std::vector<double> wanted;
  for (const Name& name : all) wanted.push_back(name.end.y);
  const std::vector<double> at = spread_out(wanted, kLine, kTop, kHeight - kBottom);
  constexpr double kTie = 24;
  std::string svg;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double x = kWidth - kRight + kTie;
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                       all[i].end.x, all[i].end.y, x, at[i], line_colour(all[i].line));
    svg += line_shape(all[i].line, x + 6, at[i]);
    svg += svg_text(x + 18, at[i] + 4, report.strategies[all[i].line],
                    fmt::format("fill=\"{}\"", line_colour(all[i].line)));
  }
  return svg;
}

std::string circles(const SweepReport& report, const std::vector<PlotLine>& lines) {
  std::string svg;
  for (const Crossing& crossing : crossings(report)) {
    const auto winner = std::find(report.strategies.begin(), report.strategies.end(), crossing.after);
    const auto line = static_cast<std::size_t>(winner - report.strategies.begin());
    const std::optional<PlotPoint>& at = lines[line][crossing.point];
    if (!at) continue;
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"none\" stroke=\"#333\">", at->x,
                       at->y);
    svg += fmt::format("<title>{}</title></circle>\n", svg_escaped(crossing_words(report, crossing)));
  }
  return svg;
}

}  // namespace

std::string to_svg(const SweepReport& report) {
  const Across across = has_scale(report) ? across_scale(report) : across_page(report);
  const PlotScale times = scale_of_times(report);
  const std::vector<PlotLine> lines = lines_of(report, across, times);
  std::string svg = svg_page(kWidth, kHeight);
  svg += caption(report) + axes(report, across, times) + names(report, lines) + curves(lines);
  return svg + near_dots(report, lines) + shapes(lines) + circles(report, lines) + "</svg>\n";
}

}  // namespace trireme::report
