#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/duration.h"
#include "base/text.h"
#include "report/forecast_report.h"
#include "report/table.h"

namespace trireme {
namespace {

std::string in_words(Picoseconds time) {
  return trireme::in_words(std::chrono::nanoseconds((time + kNanosecond / 2) / kNanosecond));
}

std::string strategy_words(const Scenario& scenario) {
  return scenario.job.federated ? "federated" : std::string(name(scenario.job.strategy));
}

std::string heading(const ForecastReport& report) {
  const Scenario& scenario = report.scenario;
  const Rounds& rounds = report.forecast.rounds;
  std::string text =
      fmt::format("{}, {}: ", counted(scenario.job.workers, "worker"), strategy_words(scenario));
  if (rounds.partial == 0) return text + counted(rounds.full, "round") + "\n";
  return text + fmt::format("{} and one with {}\n", counted(rounds.full, "full round"),
                            counted(rounds.workers_in_last, "worker"));
}

struct Phase {
  const char* name;
  Picoseconds RoundTime::*time;
};

// What takes no time is not worth a line.
std::string phases(const Forecast& forecast) {
  static constexpr Phase kPhases[] = {
      {"receive", &RoundTime::receive},     {"compute", &RoundTime::compute},
      {"send", &RoundTime::send},           {"messages", &RoundTime::messages},
      {"aggregate", &RoundTime::aggregate}, {"during backward", &RoundTime::hidden}};
  Table table("lrr");
  const bool has_last = forecast.last_round.has_value();
  table.row(has_last ? std::vector<std::string>{"", "a round", "the last"}
                     : std::vector<std::string>{"", "a round"});
  const auto row = [&](const char* name, Picoseconds round, Picoseconds last) {
    std::vector<std::string> cells = {name, in_words(round)};
    if (has_last) cells.push_back(in_words(last));
    table.row(std::move(cells));
  };
  const RoundTime last = forecast.last_round.value_or(RoundTime{});
  for (const Phase& phase : kPhases) {
    if (forecast.round.*phase.time == 0) continue;
    if (phase.time == &RoundTime::messages && forecast.sending) {
      row("send", *forecast.sending, *forecast.sending);
      row("wait", forecast.round.messages - *forecast.sending, last.messages - *forecast.sending);
      continue;
    }
    const Picoseconds sign = phase.time == &RoundTime::hidden ? -1 : 1;
    row(phase.name, sign * (forecast.round.*phase.time), sign * (last.*phase.time));
  }
  row("in all", forecast.round.all(), last.all());
  return table.text();
}

std::string totals(const ForecastReport& report) {
  const Forecast& forecast = report.forecast;
  std::string text = (forecast.exact ? "" : "about ") + seconds_in_words(forecast.total_s) + " in all";
  if (report.scenario.compute.spread != Spread::kNone) {
    text += ", and more for the spread of computations, which no formula knows";
  }
  text += forecast.exact ? "\n" : ": trireme simulate tells\n";
  if (forecast.messages) {
    text += counted(*forecast.messages, "message");
    text += forecast.bytes ? fmt::format(" and {} in all\n", bytes_in_words(*forecast.bytes)) : " in all\n";
  }
  if (forecast.communication_exceeds_at) {
    text += fmt::format("communication and aggregation exceed computation from {} on\n",
                        counted(*forecast.communication_exceeds_at, "worker"));
  }
  return text;
}

std::string ranking(const Forecast& forecast) {
  if (forecast.ranking.empty()) return "";
  Table table("lrrr");
  table.row({"strategy", "a round", "in all", "longer by"});
  const double best = static_cast<double>(forecast.ranking.front().round);
  for (const Ranked& one : forecast.ranking) {
    const double more = static_cast<double>(one.round) / best - 1;
    table.row({std::string(name(one.strategy)), in_words(one.round), seconds_in_words(one.total_s),
               &one == &forecast.ranking.front() ? "" : fmt::format("{:.1f} %", 100 * more)});
  }
  return "\n" + table.text();
}

std::string value_words(Axis axis, double value) {
  switch (axis) {
    case Axis::kWorkers:
      return counted(std::llround(value), "worker");
    case Axis::kParameters:
      return counted(std::llround(value), "parameter");
    case Axis::kLatency:
      return fmt::format("a latency of {}", in_words(std::llround(value * 1e12)));
    case Axis::kBandwidth:
      return value < 1e11 ? fmt::format("{:.3g} Gbit/s", value * 8 / 1e9)
                          : fmt::format("{} Gbit/s", with_commas(std::llround(value * 8 / 1e9)));
  }
  return "";
}

// What is the fastest with 9 workers need not be with 10; other values have no such moods.
std::string turn_words(const Turn& turn) {
  const std::string value = value_words(turn.axis, turn.value);
  if (turn.axis == Axis::kWorkers) return "with " + value;
  return turn.above ? fmt::format("from {} on", value) : "down from " + value;
}

// "from 210 µs", "to 1 Gbit/s"; of workers the nearest number, for others may be another case.
std::string crossing_words(const Crossover& one) {
  if (one.axis == Axis::kWorkers) return with_commas(std::llround(one.value));
  std::string value = value_words(one.axis, one.value);
  for (const std::string_view name : {"a latency of ", " parameters", " parameter"}) {
    const std::size_t at = value.find(name);
    if (at != std::string::npos) value.erase(at, name.size());
  }
  return (one.above ? "from " : "up to ") + value;
}

// A line for each strategy that changes places with the job's own somewhere.
std::string crossovers(const ForecastReport& report) {
  if (report.crossovers.empty()) return "";
  constexpr std::array<Axis, 4> kAxes = {Axis::kWorkers, Axis::kParameters, Axis::kLatency, Axis::kBandwidth};
  const std::string_view own = name(report.scenario.job.strategy);
  Table table("lllll");
  table.row({"", "workers", "parameters", "latency", "bandwidth"});
  for (const Strategy other : all_strategies()) {
    std::vector<std::string> cells(1 + kAxes.size());
    for (const Crossover& one : report.crossovers) {
      if (one.other != other) continue;
      cells[0] = one.overtakes ? fmt::format("{} overtakes {}", name(other), own)
                               : fmt::format("{} overtakes {}", own, name(other));
      const auto column = std::find(kAxes.begin(), kAxes.end(), one.axis) - kAxes.begin();
      std::string& cell = cells[static_cast<std::size_t>(column) + 1];
      cell += (cell.empty() ? "" : ", ") + crossing_words(one);
    }
    if (!cells[0].empty()) table.row(std::move(cells));
  }
  return "\n" + table.text();
}

std::string outlook(const ForecastReport& report) {
  std::string text;
  if (!report.turns.empty()) {
    text += fmt::format("\n{} is the fastest, but\n", name(report.forecast.ranking.front().strategy));
    for (const Turn& turn : report.turns) {
      text += fmt::format("  {}: {}\n", turn_words(turn), name(turn.then));
    }
  }
  if (report.worth) {
    const WorthIt& worth = *report.worth;
    text += fmt::format("\n{} end it soonest, in {}", counted(worth.soonest, "worker"),
                        seconds_in_words(worth.soonest_s));
    if (worth.enough < worth.soonest) {
      text += fmt::format("; {} come within 5 % of that, in {}", with_commas(worth.enough),
                          seconds_in_words(worth.enough_s));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string seconds_in_words(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  const std::string plain =
      seconds < 1e5 ? fmt::format("{:.6g} s", seconds) : fmt::format("{:.0f} s", seconds);
  if (seconds < 10 * kMinute) {
    return trireme::in_words(std::chrono::nanoseconds(std::llround(seconds * 1e9)));
  }
  if (seconds < 2 * kHour) return fmt::format("{} ({:.1f} min)", plain, seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{} ({:.1f} h)", plain, seconds / kHour);
  return fmt::format("{} ({:.1f} days)", plain, seconds / kDay);
}

std::string to_text(const ForecastReport& report) {
  std::string text = heading(report) + "\n" + phases(report.forecast) + "\n" + totals(report) +
                     ranking(report.forecast) + crossovers(report) + outlook(report);
  for (const std::string& key : report.without_effect) {
    text += fmt::format("\n{} has no effect here\n", key);
  }
  return text;
}

}  // namespace trireme
