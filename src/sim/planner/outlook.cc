#include "sim/planner/outlook.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "plan/strategies/strategies.h"
#include "sim/model/work.h"
#include "sim/planner/forecast.h"
#include "sim/planner/speedup.h"

namespace trireme::sim {
namespace {

constexpr std::int32_t kMostWorkers = 4096;
constexpr double kFarthest = 1e4;  // the largest factor above or below the present value

// If every value is simulated, for every strategy, only a few values are tried: about 200, in some seconds.
constexpr std::int32_t kMostWorkersSimulated = 64;
constexpr double kMostValuesSimulated = 200;

// The distance between the values that are tried, and the precision of a turn found between two of them.
struct Steps {
  double stride;
  double tolerance;
};

bool is_simulated(const Scenario& scenario) {
  return !scenario.time && scenario.network.topology != Topology::kSwitch;
}

Steps steps_of(const Scenario& scenario) {
  return is_simulated(scenario) ? Steps{2, 1e-3} : Steps{1.1, 1e-5};
}

constexpr std::array<Axis, 4> kAxes = {Axis::kWorkers, Axis::kParameters, Axis::kLatency, Axis::kBandwidth};

// The nearest number of workers for which something holds that does not hold now.
template <typename Holds>
std::optional<double> nearest_workers(const Scenario& scenario, bool above, const Holds& holds) {
  const std::int32_t step = above ? 1 : -1;
  const std::int32_t most = is_simulated(scenario) ? kMostWorkersSimulated : kMostWorkers;
  for (std::int32_t n = scenario.job.workers + step; n >= 1 && n <= most; n += step) {
    if (holds(moved(Axis::kWorkers, scenario, n))) return n;
  }
  return std::nullopt;
}

// The same along another axis: in steps, and then between the last value without it and the first value with
// it.
template <typename Holds>
std::optional<double> nearest(Axis axis, const Scenario& scenario, bool above, const Holds& holds) {
  if (axis == Axis::kWorkers) return nearest_workers(scenario, above, holds);
  const double present = value_on(axis, scenario);
  if (present <= 0) return std::nullopt;
  const Steps steps = steps_of(scenario);
  const double stride = above ? steps.stride : 1 / steps.stride;
  double without = present;
  for (double far = stride; far < kFarthest && far > 1 / kFarthest; far *= stride) {
    double with = present * far;
    if (!holds(moved(axis, scenario, with))) {
      without = with;
      continue;
    }
    while (std::abs(with / without - 1) > steps.tolerance) {
      const double middle = std::sqrt(without * with);
      (holds(moved(axis, scenario, middle)) ? with : without) = middle;
    }
    return with;
  }
  return std::nullopt;
}

// For the job's own strategy; empty if it does not fit the number of workers.
std::optional<double> known_speedup(const Scenario& scenario) {
  const std::optional<JobTime> time = known_time(scenario, scenario.job.strategy);
  return time ? speedup_of(scenario, time->total_s).factor : std::nullopt;
}

bool is_faster(const Scenario& scenario, plan::Strategy one, plan::Strategy other) {
  const std::optional<JobTime> mine = known_time(scenario, one);
  const std::optional<JobTime> its = known_time(scenario, other);
  return mine && its && mine->total_s < its->total_s;
}

// The fastest of all other strategies, if it takes less than `least` seconds.
std::optional<plan::Strategy> faster_than(const Scenario& scenario, plan::Strategy one, double least) {
  std::optional<plan::Strategy> best;
  for (const plan::Strategy strategy : plan::all_strategies()) {
    if (strategy == one) continue;
    const std::optional<JobTime> time = known_time(scenario, strategy);
    if (!time || time->total_s >= least) continue;
    least = time->total_s;
    best = strategy;
  }
  return best;
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
      return with_workers(std::move(scenario), static_cast<std::int32_t>(value));
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

plan::Strategy fastest(const Scenario& scenario, plan::Strategy preferred) {
  const std::optional<JobTime> own = known_time(scenario, preferred);
  const double least = own ? own->total_s : std::numeric_limits<double>::infinity();
  return faster_than(scenario, preferred, least).value_or(preferred);
}

bool is_searchable(const Scenario& scenario) {
  return !is_simulated(scenario) || scenario.job.workers <= kMostWorkersSimulated;
}

std::vector<Turn> turns(const Scenario& scenario, const SimProgress& progress) {
  if (!is_searchable(scenario)) return {};
  std::vector<Turn> found;
  const plan::Strategy now = fastest(scenario, scenario.job.strategy);
  double looked_at = 0;
  const auto is_overtaken = [&](const Scenario& there) {
    if (progress && is_simulated(scenario)) progress(std::min(++looked_at / kMostValuesSimulated, 1.0));
    const std::optional<JobTime> own = known_time(there, now);
    return own && faster_than(there, now, own->total_s);
  };
  for (const Axis axis : kAxes) {
    for (const bool above : {false, true}) {
      const std::optional<double> value = nearest(axis, scenario, above, is_overtaken);
      if (value) found.push_back({axis, above, *value, fastest(moved(axis, scenario, *value), now)});
    }
  }
  return found;
}

std::vector<Crossover> crossovers(const Scenario& scenario) {
  if (is_simulated(scenario)) return {};
  const plan::Strategy own = scenario.job.strategy;
  std::vector<Crossover> found;
  for (const plan::Strategy other : plan::all_strategies()) {
    const bool is_ahead = is_faster(scenario, other, own);
    if (!is_ahead && !is_faster(scenario, own, other)) continue;  // itself, or equally fast, or unknown
    const auto is_turned = [&](const Scenario& there) {
      return is_ahead ? is_faster(there, own, other) : is_faster(there, other, own);
    };
    for (const Axis axis : kAxes) {
      for (const bool above : {false, true}) {
        const std::optional<double> value = nearest(axis, scenario, above, is_turned);
        if (value) found.push_back({other, !is_ahead, axis, above, *value});
      }
    }
  }
  return found;
}

std::optional<WorkerAdvice> advise_workers(const Scenario& scenario, std::optional<std::int32_t> most) {
  const Scenario::Job& job = scenario.job;
  if (job.federated || is_simulated(scenario) || (job.samples == 0 && !most)) return std::nullopt;
  WorkerAdvice found{.most = most.value_or(kMostWorkers)};
  if (!most) {
    const std::int64_t with_a_batch = std::max<std::int64_t>(batches_per_epoch(job) / job.local_steps, 1);
    found.is_one_batch_each = with_a_batch <= found.most;
    found.most = static_cast<std::int32_t>(std::min<std::int64_t>(found.most, with_a_batch));
  }
  std::vector<double> speedups(1, 0.0);
  for (std::int32_t n = 1; n <= found.most; ++n) {
    speedups.push_back(known_speedup(with_workers(scenario, n)).value_or(0));
  }
  const auto best = std::max_element(speedups.begin(), speedups.end());
  if (*best == 0) return std::nullopt;
  const auto enough =
      std::find_if(speedups.begin(), speedups.end(), [&](double one) { return 1.05 * one >= *best; });
  found.soonest = static_cast<std::int32_t>(best - speedups.begin());
  found.enough = static_cast<std::int32_t>(enough - speedups.begin());
  const JobTime soonest_time = known_time(with_workers(scenario, found.soonest), job.strategy).value();
  const JobTime enough_time = known_time(with_workers(scenario, found.enough), job.strategy).value();
  found.soonest_s = soonest_time.total_s;
  found.soonest_exact = soonest_time.exact;
  found.enough_s = enough_time.total_s;
  found.enough_exact = enough_time.exact;
  found.speedup = *best;
  return found;
}

std::vector<std::int32_t> slower_than_one(const Scenario& scenario) {
  if (is_simulated(scenario)) return {};
  std::vector<std::int32_t> slower;
  for (std::int32_t n = 2; n <= std::min(scenario.job.workers, kMostWorkers); ++n) {
    const std::optional<double> speedup = known_speedup(with_workers(scenario, n));
    if (speedup && *speedup < 1) slower.push_back(n);
  }
  return slower;
}

}  // namespace trireme::sim
