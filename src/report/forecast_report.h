// A forecast of a job, as text for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/exchange_report.h"
#include "sim/model/scenario.h"
#include "sim/planner/forecast.h"
#include "sim/planner/outlook.h"

namespace trireme::report {

struct ForecastReport {
  const sim::Scenario& scenario;
  sim::Forecast forecast;
  bool is_simulable = true;  ///< `trireme simulate` would accept it
  bool is_searched = true;   ///< otherwise finding the fields below would have taken too long
  std::vector<sim::Turn> turns{};
  std::vector<sim::Crossover> crossovers{};
  std::optional<sim::WorkerAdvice> worth{};
  std::vector<std::int32_t> slower_than_one{};  ///< numbers of workers up to the job's own
  std::vector<std::string> without_effect{};    ///< keys that were set but changed nothing
};

[[nodiscard]] std::string to_text(const ForecastReport& report);

/// docs/planning.md describes each field.
[[nodiscard]] Json to_json(const ForecastReport& report);

/// The one unit of the times in a column of a table.
struct TimeUnit {
  std::string_view name;
  sim::Picoseconds size;
};
inline constexpr TimeUnit kSeconds{"s", sim::kSecond};
/// The unit in which the longest time of a column is written.
[[nodiscard]] TimeUnit unit_for(sim::Picoseconds longest);
/// "0.75 ms", "32,000 s": six digits.
[[nodiscard]] std::string time_in(const TimeUnit& unit, sim::Picoseconds time);

/// "37.5 ms", to the nanosecond.
[[nodiscard]] std::string time_words(sim::Picoseconds time);
/// "595.5 s", "9 h 10 min": for times of any length.
[[nodiscard]] std::string seconds_in_words(double seconds);

}  // namespace trireme::report
