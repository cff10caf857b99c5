#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/text.h"
#include "report/forecast_report.h"
#include "report/sweep_report.h"
#include "report/table.h"

namespace trireme {
namespace {

// Four digits, and all before the point.
std::string in_words(double seconds) {
  return seconds < 1000 ? fmt::format("{:.4g} s", seconds)
                        : fmt::format("{} s", with_commas(std::llround(seconds)));
}

constexpr std::size_t kLines = 20;

// Among the strategies of a point, of several the preferred one; none where none has a time.
std::optional<std::size_t> fastest_of(const SweepPoint& point, std::optional<std::size_t> preferred = {}) {
  std::optional<std::size_t> best = preferred && point.seconds[*preferred] ? preferred : std::nullopt;
  for (std::size_t i = 0; i < point.seconds.size(); ++i) {
    if (!point.seconds[i]) continue;
    if (!best || *point.seconds[i] < *point.seconds[*best]) best = i;
  }
  return best;
}

bool counts_up(const SweepReport& report) {
  for (std::size_t i = 1; i < report.points.size(); ++i) {
    if (value_of(report.points[i]) != value_of(report.points[i - 1]) + 1) return false;
  }
  return true;
}

// About as many as fit a screen; of numbers that count up those that double, else every so manieth.
std::set<std::size_t> shown(const SweepReport& report) {
  std::set<std::size_t> points;
  const std::size_t count = report.points.size();
  if (count <= kLines) {
    for (std::size_t i = 0; i < count; ++i) points.insert(i);
    return points;
  }
  if (counts_up(report)) {
    for (std::size_t distance = 1; distance < count; distance *= 2) points.insert(distance - 1);
  } else {
    for (std::size_t i = 0; i < kLines; ++i) points.insert(i * (count - 1) / (kLines - 1));
  }
  points.insert(count - 1);
  for (const Crossing& crossing : crossings(report)) {
    if (points.size() >= 2 * kLines) break;
    points.insert(crossing.point);
  }
  return points;
}

}  // namespace

std::vector<Crossing> crossings(const SweepReport& report) {
  std::vector<Crossing> found;
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const std::optional<std::size_t> now = fastest_of(report.points[i], before);
    if (before && now && *now != *before) {
      found.push_back({i, report.strategies[*before], report.strategies[*now]});
    }
    if (now) before = now;
  }
  return found;
}

double value_of(const SweepPoint& point) {
  double number = 0;
  std::from_chars(point.value.data(), point.value.data() + point.value.size(), number);
  return number;
}

std::string crossing_words(const SweepReport& report, const Crossing& crossing) {
  const SweepPoint& point = report.points[crossing.point];
  const SweepPoint& last = report.points[crossing.point - 1];
  const bool next_number = value_of(point) == value_of(last) + 1;
  const std::string where =
      next_number ? "at " + point.value : fmt::format("between {} and {}", last.value, point.value);
  return fmt::format("{}: {} is overtaken by {}", where, crossing.before, crossing.after);
}

std::string to_text(const SweepReport& report) {
  const bool compares = report.strategies.size() > 1;
  Table table("r" + std::string(report.strategies.size(), 'r'));
  std::vector<std::string> heading = {report.key};
  heading.insert(heading.end(), report.strategies.begin(), report.strategies.end());
  table.row(std::move(heading));
  for (const std::size_t i : shown(report)) {
    const SweepPoint& point = report.points[i];
    const std::optional<std::size_t> best = fastest_of(point);
    std::vector<std::string> cells = {point.value};
    for (std::size_t k = 0; k < point.seconds.size(); ++k) {
      const std::string time = point.seconds[k] ? in_words(*point.seconds[k]) : "–";
      cells.push_back(compares && k == best ? "*" + time : time);
    }
    table.row(std::move(cells));
  }
  std::string text =
      fmt::format("time in all{}\n\n", compares ? " by each strategy; * marks the fastest" : "") +
      table.text();
  for (const Crossing& crossing : crossings(report)) text += "\n" + crossing_words(report, crossing);
  return text + (crossings(report).empty() ? "" : "\n");
}

std::string unit_of(const SweepReport& report) {
  const std::string& value = report.points.front().value;
  const std::size_t space = value.find(' ');
  return space == std::string::npos ? "" : value.substr(space + 1);
}

std::string to_csv(const SweepReport& report) {
  const std::string unit = unit_of(report);
  const bool in_unit =
      !unit.empty() && std::all_of(report.points.begin(), report.points.end(), [&](const SweepPoint& point) {
        return point.value.ends_with(" " + unit);
      });
  std::string text = report.key + (in_unit ? fmt::format(" ({})", unit) : "");
  for (const std::string& strategy : report.strategies) text += "," + strategy + " (s)";
  text += "\n";
  for (const SweepPoint& point : report.points) {
    text += in_unit ? point.value.substr(0, point.value.find(' ')) : point.value;
    for (const std::optional<double>& seconds : point.seconds) {
      text += seconds ? fmt::format(",{:.9g}", *seconds) : ",";
    }
    text += "\n";
  }
  return text;
}

Json to_json(const SweepReport& report) {
  Json points = Json::array();
  for (const SweepPoint& point : report.points) {
    Json one = {{"value", point.value}};
    for (std::size_t i = 0; i < point.seconds.size(); ++i) {
      one[report.strategies[i]] = point.seconds[i] ? Json(*point.seconds[i]) : Json(nullptr);
    }
    points.push_back(std::move(one));
  }
  Json turns = Json::array();
  for (const Crossing& crossing : crossings(report)) {
    turns.push_back({{"value", report.points[crossing.point].value},
                     {"before", crossing.before},
                     {"after", crossing.after}});
  }
  return {{"key", report.key}, {"total_s", std::move(points)}, {"crossings", std::move(turns)}};
}

}  // namespace trireme
