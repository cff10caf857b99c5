#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/forecast_report.h"
#include "report/sweep_report.h"
#include "report/table.h"

namespace trireme {
namespace {

constexpr std::size_t kLines = 20;

// Among the strategies of a point; none where none has a time.
std::optional<std::size_t> fastest_of(const SweepPoint& point) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < point.seconds.size(); ++i) {
    if (!point.seconds[i]) continue;
    if (!best || *point.seconds[i] < *point.seconds[*best]) best = i;
  }
  return best;
}

// About as many as fit a screen, closer together where values are small, as on a scale of powers.
std::set<std::size_t> shown(const SweepReport& report) {
  std::set<std::size_t> points;
  const std::size_t count = report.points.size();
  if (count <= kLines) {
    for (std::size_t i = 0; i < count; ++i) points.insert(i);
    return points;
  }
  for (std::size_t distance = 1; distance < count; distance *= 2) points.insert(distance - 1);
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
    const std::optional<std::size_t> now = fastest_of(report.points[i]);
    if (before && now && *now != *before) {
      found.push_back({i, report.strategies[*before], report.strategies[*now]});
    }
    if (now) before = now;
  }
  return found;
}

std::string to_text(const SweepReport& report) {
  Table table("r" + std::string(report.strategies.size(), 'r'));
  std::vector<std::string> heading = {report.key};
  heading.insert(heading.end(), report.strategies.begin(), report.strategies.end());
  table.row(std::move(heading));
  for (const std::size_t i : shown(report)) {
    const SweepPoint& point = report.points[i];
    const std::optional<std::size_t> best = fastest_of(point);
    std::vector<std::string> cells = {point.value};
    for (std::size_t k = 0; k < point.seconds.size(); ++k) {
      const std::string time = point.seconds[k] ? fmt::format("{:.4g} s", *point.seconds[k]) : "–";
      cells.push_back(k == best ? "*" + time : time);
    }
    table.row(std::move(cells));
  }
  std::string text = table.text();
  for (const Crossing& crossing : crossings(report)) {
    text += fmt::format("at {} {} is overtaken by {}\n", report.points[crossing.point].value, crossing.before,
                        crossing.after);
  }
  return text;
}

std::string to_csv(const SweepReport& report) {
  std::string text = report.key;
  for (const std::string& strategy : report.strategies) text += "," + strategy + " (s)";
  text += "\n";
  for (const SweepPoint& point : report.points) {
    text += point.value;
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
