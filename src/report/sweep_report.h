// How long a job takes by each strategy while one key goes through many values: a table, CSV, a picture.
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
  std::vector<std::optional<double>> seconds;  ///< in all, by strategy as in `SweepReport::strategies`
  std::vector<sim::Speedup> speedups{};        ///< likewise
  std::set<std::size_t> about{};               ///< the strategies whose time is near, but not exact
};

struct SweepReport {
  std::string key;
  std::vector<std::string> job{};  ///< in words, without the key
  bool fixed_rounds = false;       ///< more workers do more work
  std::vector<std::string> strategies;
  std::vector<SweepPoint> points;
};

/// Where the fastest strategy changes: the index of the first point with another one.
struct Crossing {
  std::size_t point = 0;
  std::string before;
  std::string after;
};
[[nodiscard]] std::vector<Crossing> crossings(const SweepReport& report);
/// "at 3: all-to-all is overtaken by direct"; of values that lie apart "between 1 and 4: …".
[[nodiscard]] std::string crossing_words(const SweepReport& report, const Crossing& crossing);

/// Some time is near, but not exact.
[[nodiscard]] bool has_near(const SweepReport& report);
/// "us" of "1 us"; empty where there is none.
[[nodiscard]] std::string unit_of(const SweepReport& report);
/// The number that its value begins with.
[[nodiscard]] double value_of(const SweepPoint& point);

/// Of many points about twenty, among them the first, the last and all crossings; the fastest of a line
/// marked by a star, what is near but not exact by a "~", and behind it what the fastest brings against one
/// worker alone.
[[nodiscard]] std::string to_text(const SweepReport& report);
[[nodiscard]] Json to_json(const SweepReport& report);
/// All points; the first line names the columns, and the unit of the first where all have the same. The last
/// column names the strategies whose time is near, but not exact.
[[nodiscard]] std::string to_csv(const SweepReport& report);
/// Time against the value, both on logarithmic scales, a line for each strategy, a circle at each crossing,
/// a hollow dot at what is near, but not exact.
[[nodiscard]] std::string to_svg(const SweepReport& report);

}  // namespace trireme::report
