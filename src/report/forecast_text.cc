#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/duration.h"
#include "base/text.h"
#include "report/forecast_report.h"
#include "report/speedup_words.h"
#include "report/table.h"
#include "sim/work.h"

namespace trireme {
namespace {

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

// The samples and mini-batches behind the rounds, as far as the job says them.
std::string work_words(const Scenario::Job& job) {
  const Work work = work_of(job);
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
  Picoseconds RoundTime::*time;
};

// What takes no time is not worth a line.
std::string phases(const Forecast& forecast) {
  static constexpr Phase kPhases[] = {{"receive", &RoundTime::receive},
                                      {"compute", &RoundTime::compute},
                                      {"send", &RoundTime::send},
                                      {"messages", &RoundTime::messages},
                                      {"aggregate", &RoundTime::aggregate},
                                      {"update", &RoundTime::update},
                                      {"during backward", &RoundTime::hidden}};
  Table table("lrr");
  const bool has_last = forecast.last_round.has_value();
  table.row(has_last ? std::vector<std::string>{"", "a round", "the last"}
                     : std::vector<std::string>{"", "a round"});
  const auto row = [&](const char* name, Picoseconds round, Picoseconds last) {
    std::vector<std::string> cells = {name, time_words(round)};
    if (has_last) cells.push_back(time_words(last));
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
  if (!forecast.exact) {
    text += report.is_simulable ? ": trireme simulate tells"
                                : "; with fewer rounds or workers trireme simulate could tell";
  }
  text += "\n";
  if (const Picoseconds more = forecast.round.first_more; more > 0) {
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
  const Scenario::Job& job = report.scenario.job;
  const Speedup& speedup = report.forecast.speedup;
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

std::string ranking(const Forecast& forecast) {
  if (forecast.ranking.empty()) return "";
  Table table("lrrr");
  table.row({"strategy", "a round", "in all", "longer by"});
  const double best = forecast.ranking.front().total_s;
  for (const Ranked& one : forecast.ranking) {
    const double more = one.total_s / best - 1;
    table.row({std::string(name(one.strategy)), time_words(one.round),
               (one.exact ? "" : "about ") + seconds_in_words(one.total_s),
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
      return fmt::format("a latency of {}", time_words(std::llround(value * 1e12)));
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

// ", with a global batch of 76,800 samples": what the model is trained with may be too much.
std::string global_batch_words(Scenario::Job job, std::int32_t workers) {
  job.workers = workers;
  const std::optional<std::int64_t> samples = work_of(job).samples_per_round;
  if (!samples) return "";
  std::string text = job.local_steps == 1
                         ? fmt::format(", with a global batch of {}", counted(*samples, "sample"))
                         : fmt::format(", with {} between two exchanges", counted(*samples, "sample"));
  if (job.samples > 0 && workers * job.local_steps > batches_per_epoch(job)) {
    text += fmt::format(", more than the {} of an epoch", with_commas(job.samples));
  }
  return text;
}

std::string advice(const ForecastReport& report) {
  if (!report.worth) return "";
  const WorthIt& worth = *report.worth;
  const Scenario::Job& job = report.scenario.job;
  const bool ends = job.samples > 0;  // else more workers do more, and the rounds take longer
  const auto about = [](bool exact) { return exact ? "" : "about "; };
  const auto time = [&](double seconds, bool exact) {
    return ends ? fmt::format(" in {}{}", about(exact), seconds_in_words(seconds)) : std::string();
  };
  const std::string looked_at = fmt::format("\nof up to {}{}, ", counted(worth.most, "worker"),
                                            worth.is_one_batch_each ? ", with one batch each per epoch" : "");
  if (worth.soonest == 1 && worth.most > 1) {
    return looked_at + fmt::format("one alone {}{}: more make it slower\n",
                                   ends ? "ends it soonest," : "does the most per second",
                                   time(worth.soonest_s, worth.soonest_exact));
  }
  std::string text =
      looked_at + fmt::format("{} {}{}: {}{} one{}\n", with_commas(worth.soonest),
                              ends ? "end it soonest," : "do the most per second",
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
    text += fmt::format("\n{} is the fastest, but\n", name(report.forecast.ranking.front().strategy));
    for (const Turn& turn : report.turns) {
      text += fmt::format("  {}: {}\n", turn_words(turn), name(turn.then));
    }
  }
  return text;
}

}  // namespace

std::string time_words(Picoseconds time) {
  return in_words(std::chrono::nanoseconds((time + kNanosecond / 2) / kNanosecond));
}

std::string seconds_in_words(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  const std::string plain =
      seconds < 1e5 ? fmt::format("{:.6g} s", seconds) : fmt::format("{:.0f} s", seconds);
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

}  // namespace trireme
