// How long a job takes with each strategy for many values of one key: a table, CSV, a drawing.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/exchange_report.h"
#include "sim/planner/speedup.h"

namespace trireme::report {

struct SweepPoint {
  std::string value;                           ///< as it was set
  std::vector<std::optional<double>> seconds;  ///< total time, by strategy as in `SweepReport::strategies`
  std::vector<sim::Speedup> speedups{};        ///< in the same order
  std::set<std::size_t> about{};               ///< the strategies whose time is approximate
};

struct SweepReport {
  std::string key;
  std::vector<std::string> job{};  ///< in words, without the key
  bool fixed_rounds = false;       ///< more workers do more work
  std::vector<std::string> strategies;
  std::vector<SweepPoint> points;
};

/// Where the fastest strategy changes: the index of the first point with a new one.
struct Crossing {
  std::size_t point = 0;
  std::string before;
  std::string after;
};
[[nodiscard]] std::vector<Crossing> crossings(const SweepReport& report);
/// "at 3: all-to-all is overtaken by direct"; for values that are not adjacent "between 1 and 4: …".
[[nodiscard]] std::string crossing_words(const SweepReport& report, const Crossing& crossing);

/// Whether some time is approximate.
[[nodiscard]] bool has_near(const SweepReport& report);
/// "us" for "1 us"; empty if there is no unit.
[[nodiscard]] std::string unit_of(const SweepReport& report);
/// The number at the beginning of the value.
[[nodiscard]] double value_of(const SweepPoint& point);

/// Shows about twenty of many points, among them the first, the last and all crossings, and says so. A star
/// marks the fastest in a line and a "~" an approximate time; the end of a line compares the fastest with one
/// worker alone.
[[nodiscard]] std::string to_text(const SweepReport& report);
[[nodiscard]] Json to_json(const SweepReport& report);
/// All points. The first line names the columns, and the unit of the first column if all values have the same
/// unit. The last column names the strategies whose time is approximate.
[[nodiscard]] std::string to_csv(const SweepReport& report);
/// Time against the value, both on logarithmic scales: one line for each strategy, a circle at each crossing,
/// a hollow dot at each approximate time.
[[nodiscard]] std::string to_svg(const SweepReport& report);

}  // namespace trireme::report
