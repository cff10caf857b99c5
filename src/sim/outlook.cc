#include "sim/outlook.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/forecast.h"

namespace trireme {
namespace {

constexpr std::int32_t kMostWorkers = 4096;
constexpr double kFarthest = 1e4;  // times the present value, or a part of it

// Where every value would be simulated, for every strategy, only little is looked at.
constexpr std::int32_t kMostWorkersSimulated = 64;

bool is_simulated(const Scenario& scenario) {
  return !scenario.time && scenario.network.topology != Topology::kSwitch;
}

// With another value: who is faster than the one that is the fastest now; nobody, or it cannot be said.
std::optional<Strategy> overtaker(Axis axis, const Scenario& scenario, double value, Strategy now) {
  const Scenario there = moved(axis, scenario, value);
  if (!known_round(there, now)) return std::nullopt;
  const Strategy then = fastest(there, now);
  return then == now ? std::nullopt : std::optional(then);
}

std::optional<Turn> next_workers(const Scenario& scenario, Strategy now, bool above) {
  const std::int32_t step = above ? 1 : -1;
  const std::int32_t most = is_simulated(scenario) ? kMostWorkersSimulated : kMostWorkers;
  for (std::int32_t n = scenario.job.workers + step; n >= 1 && n <= most; n += step) {
    const std::optional<Strategy> then = overtaker(Axis::kWorkers, scenario, n, now);
    if (then) return Turn{Axis::kWorkers, above, static_cast<double>(n), *then};
  }
  return std::nullopt;
}

// Between a value at which it is still the fastest and one at which it is not.
Turn narrowed(Axis axis, const Scenario& scenario, Strategy now, double inside, double outside) {
  while (std::abs(outside / inside - 1) > 1e-5) {
    const double middle = std::sqrt(inside * outside);
    (overtaker(axis, scenario, middle, now) ? outside : inside) = middle;
  }
  return {axis, outside > inside, outside, *overtaker(axis, scenario, outside, now)};
}

std::optional<Turn> next_turn(Axis axis, const Scenario& scenario, Strategy now, bool above) {
  const double present = value_on(axis, scenario);
  if (present <= 0) return std::nullopt;
  const double stride = above ? 1.1 : 1 / 1.1;
  double inside = present;
  for (double far = stride; far < kFarthest && far > 1 / kFarthest; far *= stride) {
    const double outside = present * far;
    if (overtaker(axis, scenario, outside, now)) return narrowed(axis, scenario, now, inside, outside);
    inside = outside;
  }
  return std::nullopt;
}

}  // namespace

double value_on(Axis axis, const Scenario& scenario) {
  switch (axis) {
    case Axis::kWorkers:
      return scenario.job.workers;
    case Axis::kParameters:
      return static_cast<double>(scenario.model.parameters);
    case Axis::kLatency:
      return in_seconds(scenario.network.latency);
    case Axis::kBandwidth:
      return scenario.network.bandwidth;
  }
  return 0;
}

Scenario moved(Axis axis, Scenario scenario, double value) {
  switch (axis) {
    case Axis::kWorkers:
      scenario.job.workers = static_cast<std::int32_t>(value);
      scenario.server.count = scenario.server.on_workers
                                  ? std::min(scenario.server.count, scenario.job.workers)
                                  : scenario.server.count;
      break;
    case Axis::kParameters:
      scenario.model.parameters = std::max<std::int64_t>(1, std::llround(std::min(value, 1e18)));
      break;
    case Axis::kLatency:
      scenario.network.latency = static_cast<Picoseconds>(
          std::min(value * static_cast<double>(kSecond), static_cast<double>(kLatest)));
      break;
    case Axis::kBandwidth:
      scenario.network.bandwidth = value;
      break;
  }
  return scenario;
}

Strategy fastest(const Scenario& scenario, Strategy preferred) {
  Strategy best = preferred;
  Picoseconds least = known_round(scenario, preferred).value_or(std::numeric_limits<Picoseconds>::max());
  for (const Strategy strategy : all_strategies()) {
    const std::optional<Picoseconds> time = known_round(scenario, strategy);
    if (time && *time < least) {
      least = *time;
      best = strategy;
    }
  }
  return best;
}

std::vector<Turn> turns(const Scenario& scenario) {
  if (is_simulated(scenario) && scenario.job.workers > kMostWorkersSimulated) return {};
  std::vector<Turn> found;
  const Strategy now = fastest(scenario, scenario.job.strategy);
  for (const Axis axis : {Axis::kWorkers, Axis::kParameters, Axis::kLatency, Axis::kBandwidth}) {
    for (const bool above : {false, true}) {
      const std::optional<Turn> turn =
          axis == Axis::kWorkers ? next_workers(scenario, now, above) : next_turn(axis, scenario, now, above);
      if (turn) found.push_back(*turn);
    }
  }
  return found;
}

std::optional<WorthIt> worth_it(const Scenario& scenario) {
  if (scenario.job.samples == 0 || scenario.job.federated || is_simulated(scenario)) return std::nullopt;
  const Strategy strategy = scenario.job.strategy;
  std::vector<double> totals(1, std::numeric_limits<double>::infinity());
  for (std::int32_t n = 1; n <= kMostWorkers; ++n) {
    const Scenario with = moved(Axis::kWorkers, scenario, n);
    const std::optional<Picoseconds> round = known_round(with, strategy);
    const double rounds = static_cast<double>(rounds_of(with).all());
    totals.push_back(round ? rounds * in_seconds(*round) : std::numeric_limits<double>::infinity());
  }
  const auto best = std::min_element(totals.begin(), totals.end());
  const auto enough = std::find_if(totals.begin(), totals.end(), [&](double s) { return s <= 1.05 * *best; });
  return WorthIt{static_cast<std::int32_t>(best - totals.begin()),
                 static_cast<std::int32_t>(enough - totals.begin()), *best, *enough};
}

}  // namespace trireme
