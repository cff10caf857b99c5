#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "report/sweep_report.h"

namespace trireme {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 520;
constexpr double kLeft = 80;
constexpr double kRight = 190;  // names of the lines
constexpr double kTop = 40;
constexpr double kBottom = 60;
constexpr double kLine = 16;  // of text
// Told apart also by people who see few colours, and by their order at the right edge.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#000000", "#999933"};

// Powers of ten, from the least to the greatest of what is to be seen.
class Scale {
 public:
  Scale(double from, double to) : from_(from), to_(to) {}

  void see(double value) {
    if (value <= 0) return;
    least_ = std::min(least_, std::log10(value));
    most_ = std::max(most_, std::log10(value));
  }
  [[nodiscard]] double at(double value) const {
    const double span = std::max(most_ - least_, 1e-9);
    return from_ + (std::log10(value) - least_) / span * (to_ - from_);
  }
  // 1, 10, 100, … or, where there would be fewer than two of these, 1, 2, 5, 10, …
  [[nodiscard]] std::vector<double> marks() const {
    std::vector<double> all;
    const bool close = most_ - least_ < 2;
    for (double power = std::floor(least_); power <= most_; ++power) {
      for (const double digit : close ? std::vector<double>{1, 2, 5} : std::vector<double>{1}) {
        const double mark = digit * std::pow(10, power);
        if (std::log10(mark) >= least_ - 1e-9 && std::log10(mark) <= most_ + 1e-9) all.push_back(mark);
      }
    }
    return all;
  }

 private:
  double from_;
  double to_;
  double least_ = std::numeric_limits<double>::max();
  double most_ = std::numeric_limits<double>::lowest();
};

// 1,000,000 rather than 1e+06.
std::string plain(double mark) {
  return mark < 1000 || mark > 1e15 ? fmt::format("{:g}", mark) : with_commas(std::llround(mark));
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
}

std::string axes(const SweepReport& report, const Scale& x, const Scale& y) {
  std::string svg;
  for (const double mark : x.marks()) {
    svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ddd\"/>\n",
                       x.at(mark), kTop, kHeight - kBottom);
    svg += text_at(x.at(mark), kHeight - kBottom + 20, "middle", plain(mark));
  }
  for (const double mark : y.marks()) {
    svg += fmt::format("<line x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>\n",
                       y.at(mark), kLeft, kWidth - kRight);
    svg += text_at(kLeft - 8, y.at(mark) + 4, "end", plain(mark) + " s");
  }
  const std::string unit = unit_of(report).empty() ? "" : " (" + unit_of(report) + ")";
  svg += text_at((kLeft + kWidth - kRight) / 2, kHeight - 15, "middle", report.key + unit);
  svg += text_at(kLeft, kTop - 15, "start",
                 "time in all by each strategy; rings: where another one becomes the fastest");
  return svg;
}

std::string curve(const SweepReport& report, std::size_t strategy, const Scale& x, const Scale& y) {
  std::string points;
  double last_x = 0;
  double last_y = 0;
  for (const SweepPoint& point : report.points) {
    const std::optional<double>& seconds = point.seconds[strategy];
    if (!seconds || *seconds <= 0) continue;
    last_x = x.at(value_of(point));
    last_y = y.at(*seconds);
    points += fmt::format("{:.1f},{:.1f} ", last_x, last_y);
  }
  if (points.empty()) return "";
  const char* colour = kColours[strategy % std::size(kColours)];
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", points,
                     colour);
}

// At the right edge, in the order of the lines there and never over each other.
std::string names(const SweepReport& report, const Scale& y) {
  struct Name {
    std::size_t strategy;
    double y;
  };
  std::vector<Name> all;
  for (std::size_t i = 0; i < report.strategies.size(); ++i) {
    const std::optional<double>& seconds = report.points.back().seconds[i];
    if (seconds && *seconds > 0) all.push_back({i, y.at(*seconds)});
  }
  std::sort(all.begin(), all.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
  std::string svg;
  double free_from = kTop;
  double room_below = kHeight - kBottom + 4;  // for all that come after
  for (const Name& name : all) room_below -= &name == &all.front() ? 0 : kLine;
  for (const Name& name : all) {
    const double at = std::min(std::max(name.y + 4, free_from), room_below);
    free_from = at + kLine;
    room_below += kLine;
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", kWidth - kRight + 10, at,
                       kColours[name.strategy % std::size(kColours)], report.strategies[name.strategy]);
  }
  return svg;
}

std::string rings(const SweepReport& report, const Scale& x, const Scale& y) {
  std::string svg;
  for (const Crossing& crossing : crossings(report)) {
    const SweepPoint& point = report.points[crossing.point];
    const auto winner = std::find(report.strategies.begin(), report.strategies.end(), crossing.after);
    const double seconds = *point.seconds[static_cast<std::size_t>(winner - report.strategies.begin())];
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"none\" stroke=\"#333\">",
                       x.at(value_of(point)), y.at(seconds));
    svg += fmt::format("<title>{}</title></circle>\n", crossing_words(report, crossing));
  }
  return svg;
}

}  // namespace

std::string to_svg(const SweepReport& report) {
  Scale x(kLeft, kWidth - kRight);
  Scale y(kHeight - kBottom, kTop);
  for (const SweepPoint& point : report.points) {
    x.see(value_of(point));
    for (const std::optional<double>& seconds : point.seconds) y.see(seconds.value_or(0));
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  svg += axes(report, x, y);
  for (std::size_t i = 0; i < report.strategies.size(); ++i) svg += curve(report, i, x, y);
  svg += rings(report, x, y);
  svg += names(report, y);
  return svg + "</svg>\n";
}

}  // namespace trireme
