#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/text.h"
#include "report/forecast_report.h"
#include "report/speedup_words.h"
#include "report/sweep_report.h"
#include "report/table.h"

namespace trireme::report {
namespace {

// Four digits, but all digits before the point.
std::string to_four_digits(double seconds) {
  return seconds < 1000 ? fmt::format("{:.4g} s", seconds)
                        : fmt::format("{} s", with_commas(std::llround(seconds)));
}

// "1,048,576" for "1048576"; a fraction or a value with a unit is as it was given.
std::string value_words(const SweepPoint& point) {
  std::int64_t whole = 0;
  const char* end = point.value.data() + point.value.size();
  const auto [rest, error] = std::from_chars(point.value.data(), end, whole);
  return error == std::errc() && rest == end ? with_commas(whole) : point.value;
}

constexpr std::size_t kLines = 20;

// The fastest strategy of a point; among equals the preferred one; empty if none has a time.
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

// About as many as fit on a screen: for consecutive numbers those that double, otherwise every n-th point.
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

// A measure of a strategy besides its time.
struct Measure {
  const char* name;  // of its column
  const char* in_json;
  std::optional<double> sim::Speedup::*member;
  std::string (*words)(double);
};
constexpr Measure kMeasures[] = {
    {"speed-up", "speedup", &sim::Speedup::factor, times_words},
    {"efficiency", "efficiency", &sim::Speedup::efficiency, percent_words},
    {"samples/s", "samples_per_s", &sim::Speedup::samples_per_s, short_number},
};

std::optional<double> measured(const SweepPoint& point, std::size_t strategy, const Measure& measure) {
  return strategy < point.speedups.size() ? point.speedups[strategy].*measure.member : std::nullopt;
}

// The measures that are known for some strategy at some point.
std::vector<Measure> known_measures(const SweepReport& report) {
  std::vector<Measure> known;
  for (const Measure& measure : kMeasures) {
    const bool is_known =
        std::any_of(report.points.begin(), report.points.end(), [&](const SweepPoint& point) {
          for (std::size_t i = 0; i < point.speedups.size(); ++i) {
            if (measured(point, i, measure)) return true;
          }
          return false;
        });
    if (is_known) known.push_back(measure);
  }
  return known;
}

// "8 workers: 1.3 × one; 2 to 5 are slower than one", for the fastest strategy with each number of workers.
std::string speedup_sentence(const SweepReport& report) {
  if (report.key != "job.workers") return "";
  std::map<std::int64_t, double> factors;  // by workers
  for (const SweepPoint& point : report.points) {
    const std::optional<std::size_t> best = fastest_of(point);
    const std::optional<double> factor = best ? measured(point, *best, kMeasures[0]) : std::nullopt;
    if (factor) factors[std::llround(value_of(point))] = *factor;
  }
  if (factors.empty() || factors.rbegin()->first == 1) return "";
  const auto last = std::prev(factors.end());
  const auto most = std::max_element(factors.begin(), factors.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text = fmt::format("\n{}: {} one", counted(last->first, "worker"), times_words(last->second));
  if (most != last && most->first > 1) {
    text += fmt::format("; {} bring the most: {} one", with_commas(most->first), times_words(most->second));
  }
  std::vector<Compared> looked_at;
  looked_at.reserve(factors.size());
  for (const auto& [workers, factor] : factors) looked_at.push_back({workers, factor < 1});
  const std::string slower = slower_words(looked_at);
  return text + (slower.empty() ? "" : "; " + slower);
}

std::vector<std::string> near_ones(const SweepReport& report, const SweepPoint& point) {
  std::vector<std::string> names;
  names.reserve(point.about.size());
  for (const std::size_t strategy : point.about) names.push_back(report.strategies[strategy]);
  return names;
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

bool has_near(const SweepReport& report) {
  return std::any_of(report.points.begin(), report.points.end(),
                     [](const SweepPoint& point) { return !point.about.empty(); });
}

std::string crossing_words(const SweepReport& report, const Crossing& crossing) {
  const SweepPoint& point = report.points[crossing.point];
  const SweepPoint& last = report.points[crossing.point - 1];
  const bool next_number = value_of(point) == value_of(last) + 1;
  const std::string where = next_number
                                ? "at " + value_words(point)
                                : fmt::format("between {} and {}", value_words(last), value_words(point));
  return fmt::format("{}: {} is overtaken by {}", where, crossing.before, crossing.after);
}

std::string to_text(const SweepReport& report) {
  const bool compares = report.strategies.size() > 1;
  const std::vector<Measure> measures = known_measures(report);
  Table table(std::string(1 + report.strategies.size() + measures.size(), 'r'));
  std::vector<std::string> heading = {report.key};
  heading.insert(heading.end(), report.strategies.begin(), report.strategies.end());
  for (const Measure& measure : measures) heading.emplace_back(measure.name);
  table.row(std::move(heading));
  const std::set<std::size_t> lines = shown(report);
  for (const std::size_t i : lines) {
    const SweepPoint& point = report.points[i];
    const std::optional<std::size_t> best = fastest_of(point);
    std::vector<std::string> cells = {value_words(point)};
    for (std::size_t k = 0; k < point.seconds.size(); ++k) {
      const std::string mark = point.about.contains(k) ? "~" : "";
      const std::string time = point.seconds[k] ? mark + to_four_digits(*point.seconds[k]) : "–";
      cells.push_back(compares && k == best ? "*" + time : time);
    }
    for (const Measure& measure : measures) {
      const std::optional<double> value = best ? measured(point, *best, measure) : std::nullopt;
      cells.push_back(value ? measure.words(*value) : "–");
    }
    table.row(std::move(cells));
  }
  std::string text = "time in all";
  if (compares) text += " by each strategy; * marks the fastest";
  if (compares && !measures.empty()) text += ", which the last columns describe";
  if (has_near(report)) text += "; ~ means about (exact: trireme simulate)";
  text += "\n\n" + table.text();
  std::string sentences;
  if (lines.size() < report.points.size()) {
    sentences += fmt::format("\n{} of {} values are shown; --csv and --json have all", lines.size(),
                             with_commas(std::ssize(report.points)));
  }
  for (const Crossing& crossing : crossings(report)) sentences += "\n" + crossing_words(report, crossing);
  sentences += speedup_sentence(report);
  if (report.fixed_rounds && report.key == "job.workers") {
    sentences += "\nthe number of rounds is fixed: more workers do more work in them";
  }
  return text + sentences + (sentences.empty() ? "" : "\n");
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
  const std::vector<Measure> measures = known_measures(report);
  for (const Measure& measure : measures) {
    for (const std::string& strategy : report.strategies)
      text += fmt::format(",{} {}", strategy, measure.name);
  }
  text += ",about\n";
  for (const SweepPoint& point : report.points) {
    text += in_unit ? point.value.substr(0, point.value.find(' ')) : point.value;
    for (const std::optional<double>& seconds : point.seconds) {
      text += seconds ? fmt::format(",{:.9g}", *seconds) : ",";
    }
    for (const Measure& measure : measures) {
      for (std::size_t i = 0; i < report.strategies.size(); ++i) {
        const std::optional<double> value = measured(point, i, measure);
        text += value ? fmt::format(",{:.6g}", *value) : ",";
      }
    }
    text += fmt::format(",{}\n", fmt::join(near_ones(report, point), " "));
  }
  return text;
}

Json to_json(const SweepReport& report) {
  const auto by_point = [&](const auto& value_of_strategy) {
    Json points = Json::array();
    for (const SweepPoint& point : report.points) {
      Json one = {{"value", point.value}};
      for (std::size_t i = 0; i < report.strategies.size(); ++i) {
        const std::optional<double> value = value_of_strategy(point, i);
        one[report.strategies[i]] = or_null(value);
      }
      points.push_back(std::move(one));
    }
    return points;
  };
  Json json = {{"key", report.key}};
  json["total_s"] = by_point([](const SweepPoint& point, std::size_t i) { return point.seconds[i]; });
  for (const Measure& measure : kMeasures) {
    json[measure.in_json] =
        by_point([&](const SweepPoint& point, std::size_t i) { return measured(point, i, measure); });
  }
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    json["total_s"][i]["about"] = near_ones(report, report.points[i]);
  }
  Json turns = Json::array();
  for (const Crossing& crossing : crossings(report)) {
    turns.push_back({{"value", report.points[crossing.point].value},
                     {"before", crossing.before},
                     {"after", crossing.after}});
  }
  json["crossings"] = std::move(turns);
  return json;
}

}  // namespace trireme::report
