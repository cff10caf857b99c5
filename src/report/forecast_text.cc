#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/duration.h"
#include "base/text.h"
#include "plan/strategies/strategies.h"
#include "report/forecast_report.h"
#include "report/speedup_words.h"
#include "report/table.h"
#include "sim/model/work.h"

namespace trireme::report {
namespace {

std::string strategy_words(const sim::Scenario& scenario) {
  return scenario.job.federated ? "federated" : std::string(plan::name(scenario.job.strategy));
}

std::string heading(const ForecastReport& report) {
  const sim::Scenario& scenario = report.scenario;
  const sim::Rounds& rounds = report.forecast.rounds;
  std::string text =
      fmt::format("{}, {}: ", counted(scenario.job.workers, "worker"), strategy_words(scenario));
  if (rounds.partial == 0) return text + counted(rounds.full, "round") + "\n";
  return text + fmt::format("{} and one with {}\n", counted(rounds.full, "full round"),
                            counted(rounds.workers_in_last, "worker"));
}

// The samples and mini-batches behind the rounds, as far as the job gives them.
std::string work_words(const sim::Scenario::Job& job) {
  const sim::Work work = sim::work_of(job);
  if (work.device) {
    std::string text = fmt::format("each device: {}{}", job.samples % job.workers == 0 ? "" : "up to ",
                                   counted(work.device->samples, "sample"));
    if (job.local_epochs > 1) {
      text += fmt::format(", {} over {} local epochs", with_commas(work.device->samples_seen),
                          with_commas(job.local_epochs));
    }
    return text + fmt::format(", {} {} of {}\n", with_commas(work.device->batches),
                              work.device->batches == 1 ? "batch" : "batches", with_commas(job.batch));
  }
  std::vector<std::string> parts;
  if (work.batches_per_epoch) {
    parts.push_back(fmt::format("{} in an epoch", with_commas(*work.batches_per_epoch)));
    if (job.epochs > 1 && work.batches) {
      parts.push_back(fmt::format("{} in {} epochs", with_commas(*work.batches), with_commas(job.epochs)));
    }
  }
  if (work.samples_per_round) {
    parts.push_back(fmt::format("{} in a round", counted(*work.samples_per_round, "sample")));
  }
  if (parts.empty()) return "";
  return fmt::format("mini-batches of {}: {}\n", counted(job.batch, "sample"), fmt::join(parts, ", "));
}

struct Phase {
  const char* name;
  sim::Picoseconds sim::RoundTime::*time;
};

constexpr Phase kPhases[] = {{"receive", &sim::RoundTime::receive},
                             {"compute", &sim::RoundTime::compute},
                             {"send", &sim::RoundTime::send},
                             {"messages", &sim::RoundTime::messages},
                             {"aggregate", &sim::RoundTime::aggregate},
                             {"update", &sim::RoundTime::update},
                             {"during backward", &sim::RoundTime::hidden}};

sim::Picoseconds longest_of(const sim::RoundTime& round) {
  sim::Picoseconds longest = round.all();
  for (const Phase& phase : kPhases) longest = std::max(longest, round.*phase.time);
  return longest;
}

// Phases that take no time get no line.
std::string phases(const sim::Forecast& forecast) {
  Table table("lrr");
  const bool has_last = forecast.last_round.has_value();
  table.row(has_last ? std::vector<std::string>{"", "a round", "the last"}
                     : std::vector<std::string>{"", "a round"});
  const sim::RoundTime last = forecast.last_round.value_or(sim::RoundTime{});
  const TimeUnit unit = unit_for(std::max(longest_of(forecast.round), longest_of(last)));
  const auto row = [&](const char* name, sim::Picoseconds round, sim::Picoseconds of_last) {
    std::vector<std::string> cells = {name, time_in(unit, round)};
    if (has_last) cells.push_back(time_in(unit, of_last));
    table.row(std::move(cells));
  };
  for (const Phase& phase : kPhases) {
    if (forecast.round.*phase.time == 0) continue;
    if (phase.time == &sim::RoundTime::messages && forecast.sending) {
      row("send", *forecast.sending, *forecast.sending);
      row("wait", forecast.round.messages - *forecast.sending, last.messages - *forecast.sending);
      continue;
    }
    const sim::Picoseconds sign = phase.time == &sim::RoundTime::hidden ? -1 : 1;
    row(phase.name, sign * (forecast.round.*phase.time), sign * (last.*phase.time));
  }
  row("in all", forecast.round.all(), last.all());
  return table.text();
}

std::string totals(const ForecastReport& report) {
  const sim::Forecast& forecast = report.forecast;
  std::string text = (forecast.exact ? "" : "about ") + seconds_in_words(forecast.total_s) + " in all";
  if (report.scenario.compute.spread != sim::Spread::kNone) {
    text += ", and more for the spread of computations, which no formula knows";
  }
  if (!forecast.exact) {
    text += report.is_simulable ? " (exact: trireme simulate)"
                                : "; with fewer rounds or workers trireme simulate could tell";
  }
  text += "\n";
  if (const sim::Picoseconds more = forecast.round.first_more; more > 0) {
    text +=
        fmt::format("the first round takes {} longer, as all workers begin it together\n", time_words(more));
  } else if (more < 0) {
    text +=
        fmt::format("the first round takes {} less, as all workers begin it together\n", time_words(-more));
  }
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

std::vector<Compared> compared(const std::vector<std::int32_t>& slower) {
  std::vector<Compared> all;
  for (const std::int32_t n : slower) {
    while (!all.empty() && all.back().workers + 1 < n) all.push_back({all.back().workers + 1, false});
    all.push_back({n, true});
  }
  return all;
}

// "8 workers: 1.3 × one; 2 to 5 are slower than one"
std::string speedup_words(const ForecastReport& report) {
  const sim::Scenario::Job& job = report.scenario.job;
  const sim::Speedup& speedup = report.forecast.speedup;
  const std::string about = report.forecast.exact ? "" : "about ";
  std::string text;
  if (speedup.factor && job.workers > 1) {
    text += fmt::format("{}: {}{} one", counted(job.workers, "worker"), about, times_words(*speedup.factor));
    const std::string slower = slower_words(compared(report.slower_than_one));
    text += slower.empty() ? "\n" : "; " + slower + "\n";
  }
  std::vector<std::string> parts;
  if (speedup.factor && job.workers > 1) parts.push_back("efficiency " + percent_words(*speedup.efficiency));
  if (speedup.samples_per_s) parts.push_back(about + rate_words(*speedup.samples_per_s));
  if (speedup.factor && *speedup.factor != 1) {
    parts.push_back(fmt::format("one worker alone, without exchange, takes {} for the same samples",
                                seconds_in_words(*speedup.one_worker_s)));
  }
  if (!parts.empty()) text += fmt::format("{}\n", fmt::join(parts, "; "));
  if (job.rounds > 0 && !job.federated) {
    text += "the number of rounds is fixed: more workers do more work in them\n";
  }
  return text;
}

// Long times are always in seconds, and may be more than Picoseconds can hold.
TimeUnit unit_for_seconds(double longest) { return unit_for(std::llround(std::min(longest, 1.0) * 1e12)); }

std::string seconds_in(const TimeUnit& unit, double seconds) {
  return seconds < 1 ? time_in(unit, std::llround(seconds * 1e12)) : seconds_in_words(seconds);
}

std::string ranking(const sim::Forecast& forecast) {
  if (forecast.ranking.empty()) return "";
  Table table("lrrr");
  table.row({"strategy", "a round", "in all", "longer by"});
  const double best = forecast.ranking.front().total_s;
  sim::Picoseconds longest = 0;
  for (const sim::Ranked& one : forecast.ranking) longest = std::max(longest, one.round);
  const TimeUnit unit = unit_for(longest);
  const TimeUnit unit_in_all = unit_for_seconds(forecast.ranking.back().total_s);
  for (const sim::Ranked& one : forecast.ranking) {
    const double more = one.total_s / best - 1;
    table.row({std::string(plan::name(one.strategy)), time_in(unit, one.round),
               (one.exact ? "" : "about ") + seconds_in(unit_in_all, one.total_s),
               &one == &forecast.ranking.front() ? "" : percent_words(more)});
  }
  return "\n" + table.text();
}

sim::Picoseconds latency_of(double value) { return std::llround(value * 1e12); }

std::string gbits_words(double value) {
  return value < 1e11 ? fmt::format("{:.3g} Gbit/s", value * 8 / 1e9)
                      : fmt::format("{} Gbit/s", with_commas(std::llround(value * 8 / 1e9)));
}

std::string value_words(sim::Axis axis, double value) {
  switch (axis) {
    case sim::Axis::kWorkers:
      return counted(std::llround(value), "worker");
    case sim::Axis::kParameters:
      return counted(std::llround(value), "parameter");
    case sim::Axis::kLatency:
      return fmt::format("a latency of {}", time_words(latency_of(value)));
    case sim::Axis::kBandwidth:
      return gbits_words(value);
  }
  return "";
}

// The fastest strategy may differ between 9 and 10 workers, so only the one number is named; on the other
// axes it stays the fastest beyond the value.
std::string turn_words(const sim::Turn& turn) {
  const std::string value = value_words(turn.axis, turn.value);
  if (turn.axis == sim::Axis::kWorkers) return "with " + value;
  return turn.above ? fmt::format("from {} on", value) : "down from " + value;
}

// "from 210 µs", "up to 1 Gbit/s"; for workers only the nearest number, because others may behave
// differently.
std::string crossing_words(const sim::Crossover& one, const TimeUnit& unit) {
  const std::string side = one.above ? "from " : "up to ";
  switch (one.axis) {
    case sim::Axis::kWorkers:
      return with_commas(std::llround(one.value));
    case sim::Axis::kParameters:
      return side + with_commas(std::llround(one.value));
    case sim::Axis::kLatency:
      return side + time_in(unit, latency_of(one.value));
    case sim::Axis::kBandwidth:
      return side + gbits_words(one.value);
  }
  return "";
}

// One line for each strategy that changes places with the job's own at some value.
std::string crossovers(const ForecastReport& report) {
  if (report.crossovers.empty()) return "";
  constexpr std::array<sim::Axis, 4> kAxes = {sim::Axis::kWorkers, sim::Axis::kParameters,
                                              sim::Axis::kLatency, sim::Axis::kBandwidth};
  const std::string_view own = plan::name(report.scenario.job.strategy);
  Table table("lllll");
  table.row({"", "workers", "parameters", "latency", "bandwidth"});
  sim::Picoseconds longest = 0;
  for (const sim::Crossover& one : report.crossovers) {
    if (one.axis == sim::Axis::kLatency) longest = std::max(longest, latency_of(one.value));
  }
  const TimeUnit unit = unit_for(longest);
  for (const plan::Strategy other : plan::all_strategies()) {
    std::vector<std::string> cells(1 + kAxes.size());
    for (const sim::Crossover& one : report.crossovers) {
      if (one.other != other) continue;
      cells[0] = one.overtakes ? fmt::format("{} overtakes {}", plan::name(other), own)
                               : fmt::format("{} overtakes {}", own, plan::name(other));
      const auto column = std::find(kAxes.begin(), kAxes.end(), one.axis) - kAxes.begin();
      std::string& cell = cells[static_cast<std::size_t>(column) + 1];
      cell += (cell.empty() ? "" : ", ") + crossing_words(one, unit);
    }
    if (!cells[0].empty()) table.row(std::move(cells));
  }
  return "\n" + table.text();
}

// ", with a global batch of 76,800 samples": a hint that the batch may be too large to train the model with.
std::string global_batch_words(sim::Scenario::Job job, std::int32_t workers) {
  job.workers = workers;
  const std::optional<std::int64_t> samples = sim::work_of(job).samples_per_round;
  if (!samples) return "";
  std::string text = job.local_steps == 1
                         ? fmt::format(", with a global batch of {}", counted(*samples, "sample"))
                         : fmt::format(", with {} between two exchanges", counted(*samples, "sample"));
  if (job.samples > 0 && workers * job.local_steps > sim::batches_per_epoch(job)) {
    text += fmt::format(", more than the {} of an epoch", with_commas(job.samples));
  }
  return text;
}

std::string advice(const ForecastReport& report) {
  if (!report.worth) return "";
  const sim::WorkerAdvice& worth = *report.worth;
  const sim::Scenario::Job& job = report.scenario.job;
  const bool ends = job.samples > 0;  // otherwise more workers do more work, and the rounds take longer
  const auto about = [](bool exact) { return exact ? "" : "about "; };
  const auto time = [&](double seconds, bool exact) {
    return ends ? fmt::format(" in {}{}", about(exact), seconds_in_words(seconds)) : std::string();
  };
  const std::string looked_at = fmt::format("\nof up to {}{}, ", counted(worth.most, "worker"),
                                            worth.is_one_batch_each ? ", with one batch each per epoch" : "");
  if (worth.soonest == 1 && worth.most > 1) {
    return looked_at + fmt::format("one alone {}{}: more make it slower\n",
                                   ends ? "finishes first," : "does the most per second",
                                   time(worth.soonest_s, worth.soonest_exact));
  }
  std::string text =
      looked_at + fmt::format("{} {}{}: {}{} one{}\n", with_commas(worth.soonest),
                              ends ? "finish first," : "do the most per second",
                              time(worth.soonest_s, worth.soonest_exact), about(worth.soonest_exact),
                              times_words(worth.speedup), global_batch_words(job, worth.soonest));
  if (worth.enough < worth.soonest) {
    const bool exact = worth.enough_exact && worth.soonest_exact;
    text += fmt::format("{} {} within {}5 % of that{}{}\n", with_commas(worth.enough),
                        worth.enough == 1 ? "comes" : "come", about(exact), ends ? "," : "",
                        time(worth.enough_s, worth.enough_exact) + global_batch_words(job, worth.enough));
  }
  return text;
}

std::string outlook(const ForecastReport& report) {
  std::string text;
  if (!report.is_searched) {
    text += "\nwhat would change this was not searched: there are too many messages to simulate them often\n";
  }
  if (!report.turns.empty()) {
    text += fmt::format("\n{} is the fastest; what would change this:\n",
                        plan::name(report.forecast.ranking.front().strategy));
    for (const sim::Turn& turn : report.turns) {
      text += fmt::format("  {}: {}\n", turn_words(turn), plan::name(turn.then));
    }
  }
  return text;
}

// With commas as in all output, and never an exponent.
std::string six_digits(double number) {
  if (number < 0) return "-" + six_digits(-number);
  if (number >= 1e5) return with_commas(std::llround(number));
  const std::string digits = without_exponent(fmt::format("{:.6g}", number));
  const std::size_t point = std::min(digits.find('.'), digits.size());
  return with_commas(std::stoll(digits.substr(0, point))) + digits.substr(point);
}

}  // namespace

TimeUnit unit_for(sim::Picoseconds longest) {
  for (const TimeUnit& unit :
       {kSeconds, TimeUnit{"ms", sim::kMillisecond}, TimeUnit{"µs", sim::kMicrosecond}}) {
    if (longest >= unit.size) return unit;
  }
  return {"ns", sim::kNanosecond};
}

std::string time_in(const TimeUnit& unit, sim::Picoseconds time) {
  return six_digits(static_cast<double>(time) / static_cast<double>(unit.size)) + " " +
         std::string(unit.name);
}

std::string time_words(sim::Picoseconds time) {
  return in_words(std::chrono::nanoseconds((time + sim::kNanosecond / 2) / sim::kNanosecond));
}

std::string seconds_in_words(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  const std::string plain = six_digits(seconds) + " s";
  if (seconds < 10 * kMinute) {
    return in_words(std::chrono::nanoseconds(std::llround(seconds * 1e9)));
  }
  if (seconds < 2 * kHour) return fmt::format("{} ({:.1f} min)", plain, seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{} ({:.1f} h)", plain, seconds / kHour);
  return fmt::format("{} ({:.1f} days)", plain, seconds / kDay);
}

std::string to_text(const ForecastReport& report) {
  std::string text = heading(report) + work_words(report.scenario.job) + "\n" + phases(report.forecast) +
                     "\n" + totals(report) + speedup_words(report) + ranking(report.forecast) +
                     crossovers(report) + outlook(report) + advice(report);
  for (const std::string& key : report.without_effect) {
    text += fmt::format("\n{} has no effect here\n", key);
  }
  return text;
}

}  // namespace trireme::report
