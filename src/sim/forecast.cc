#include "sim/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "plan/closed_form.h"
#include "sim/compute_time.h"
#include "sim/costs.h"
#include "sim/exchange_time.h"
#include "sim/job_plan.h"
#include "sim/sync_run.h"
#include "sim/work.h"

namespace trireme {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Of a whole job: sums of picoseconds go beyond 63 bits in a few months.
double seconds(std::int64_t rounds, Picoseconds each) {
  return static_cast<double>(static_cast<__int128>(rounds) * each) / static_cast<double>(kSecond);
}

// All wait for the slowest.
Picoseconds slowest(const Scenario& scenario, Picoseconds usual) {
  const double factor = slowest_factor(scenario);
  if (factor == 1) return usual;
  const double time = static_cast<double>(usual) * factor;
  if (time > static_cast<double>(kLongestComputation)) {
    refuse_as_too_long("what a worker computes in a round", kLongestComputation);
  }
  return static_cast<Picoseconds>(std::llround(time));
}

bool has_formula(const Scenario& scenario) {
  return scenario.time || scenario.network.topology == Topology::kSwitch || scenario.model.parameters == 0;
}

Picoseconds aggregation(Picoseconds each, std::int64_t workers) {
  Picoseconds all = 0;
  if (__builtin_mul_overflow(each, workers, &all) || all > kLongestComputation) {
    refuse_as_too_long("aggregation", kLongestComputation);
  }
  return all;
}

RoundTime measured_round(const Scenario& scenario) {
  const Scenario::Phases& time = *scenario.time;
  const Scenario::Job& job = scenario.job;
  RoundTime round;
  round.receive = time.receive;
  round.compute = slowest(scenario, phase_compute_time(scenario, job.workers, 0));
  round.send = time.send;
  round.aggregate = aggregation(time.aggregate_per_worker, job.workers);
  return round;
}

// So many are simulated in a tenth of a second; a forecast looks at dozens of values.
constexpr std::int64_t kMostSimulated = 300'000;
constexpr std::int32_t kMostNodesSimulated = 50'000;

// Without what servers take besides.
Picoseconds exchange_of(Scenario scenario, const PlanSpec& spec) {
  if (has_formula(scenario)) return exchange_time(spec, Costs(scenario));
  const double reduce = scenario.compute.reduce;
  scenario.compute = {};
  scenario.compute.reduce = reduce;
  scenario.server.aggregate = scenario.server.update = 0;
  scenario.job.buckets = 1;
  return simulate_sync(scenario, spec, 1).total();
}

// Identical workers: what one computes, and the exchange of each bucket as soon as it is there and the one
// before is done.
RoundTime modelled_round(const Scenario& scenario, Strategy strategy) {
  const PlanSpec spec = plan_of(scenario, strategy);
  const bool has_servers = strategy == Strategy::kParameterServer;
  const Scenario::Server at_holder = has_servers ? scenario.server : Scenario::Server{};
  Scenario without_adding = scenario;
  without_adding.compute.reduce = 0;
  const Picoseconds exchange = exchange_of(scenario, spec);
  const Picoseconds messages = scenario.compute.reduce > 0 ? exchange_of(without_adding, spec) : exchange;
  RoundTime round;
  round.compute = slowest(scenario, compute_time(scenario, scenario.job.workers, 0));
  if (static_cast<double>(exchange) * scenario.job.buckets > static_cast<double>(kLatest)) {
    refuse_as_too_long("an exchange", kLatest);
  }
  Picoseconds end = 0;
  for (std::int32_t bucket = 0; bucket < scenario.job.buckets; ++bucket) {
    end = std::max(end, bucket_ready(scenario, round.compute, bucket)) + exchange;
  }
  round.messages = messages * scenario.job.buckets;
  round.aggregate = (exchange - messages) * scenario.job.buckets + at_holder.aggregate;
  round.update = at_holder.update;
  round.hidden = round.all() - end - at_holder.aggregate - at_holder.update;
  return round;
}

bool is_known(const Scenario& scenario, Strategy strategy) {
  const bool is_whole = scenario.job.workers % scenario.host.workers == 0;
  if (strategy == Strategy::kHierarchical && !is_whole) return false;
  if (scenario.time) return true;
  try {
    const PlanSpec spec = plan_of(scenario, strategy);
    if (has_formula(scenario)) return true;
    // On a ring of links a message takes one after the other, a quarter of them on average.
    const bool on_links = scenario.network.topology == Topology::kRing;
    const std::int64_t legs = on_links ? std::max(spec.nodes() / 4, 1) : 1;
    return spec.nodes() <= kMostNodesSimulated && closed_form(spec).messages <= kMostSimulated / legs;
  } catch (const Error&) {  // more than any plan can have
    return false;
  }
}

// There is a formula for it, or not too much to simulate.
void require_known(const Scenario& scenario) {
  if (scenario.job.mode.kind != Mode::Kind::kSync) {
    throw bad_input("there is no formula for workers that do not wait for all others",
                    "use trireme simulate");
  }
  if (!scenario.time) static_cast<void>(plan_of(scenario));  // says what is wrong with it
  if (!is_known(scenario, scenario.job.strategy)) {
    throw bad_input(
        fmt::format("{} of {} workers has too many messages to simulate a round of it, and there is no "
                    "formula but for a switch",
                    name(scenario.job.strategy), with_commas(scenario.job.workers)),
        "take fewer workers, or network.topology = \"switch\"");
  }
}

std::vector<Ranked> rank_strategies(const Scenario& scenario, std::int64_t rounds) {
  std::vector<Ranked> ranking;
  for (const Strategy strategy : all_strategies()) {
    const std::optional<Picoseconds> round = known_round(scenario, strategy);
    if (round) ranking.push_back({strategy, *round, seconds(rounds, *round)});
  }
  std::stable_sort(ranking.begin(), ranking.end(), [&](const Ranked& a, const Ranked& b) {
    const bool own_first = a.strategy == scenario.job.strategy && b.strategy != a.strategy;
    return a.round < b.round || (a.round == b.round && own_first);
  });
  return ranking;
}

bool communication_exceeds(const Scenario& scenario) {
  const RoundTime round = round_time(scenario, scenario.job.strategy);
  return round.all() - round.compute > round.compute;
}

// The first number of workers for which it holds. It may come and go with numbers that are no powers of two;
// what counts is where it first comes.
std::optional<std::int64_t> exceeds_at(const Scenario& scenario) {
  // On hosts and rings of links every number would be simulated.
  if (scenario.job.federated || !has_formula(scenario)) return std::nullopt;
  constexpr std::int32_t kMost = 1 << 16;
  const std::int32_t stride =
      scenario.job.strategy == Strategy::kHierarchical && !scenario.time ? scenario.host.workers : 1;
  for (std::int32_t workers = stride; workers <= kMost; workers += stride) {
    if (communication_exceeds(with_workers(scenario, workers))) return workers;
  }
  return std::nullopt;
}

// A server answers one worker after the other, and the first ones are at the next exchange when the last ones
// get their weights: then the next exchange takes less than by itself.
bool all_end_together(const PlanSpec& spec) {
  return spec.strategy != Strategy::kParameterServer || spec.shares_on_workers == spec.workers;
}

// The others have no batch, but exchange; only where a master waits for who has one does it take less.
RoundTime last_round_of(const Scenario& scenario, const Forecast& forecast) {
  if (!scenario.time) return forecast.round;
  return round_time(with_workers(scenario, forecast.rounds.workers_in_last), scenario.job.strategy);
}

double total_of(const Scenario& scenario, const Forecast& forecast) {
  const std::vector<Picoseconds>& starts = scenario.compute.starts;
  double total = starts.empty() ? 0 : in_seconds(*std::max_element(starts.begin(), starts.end()));
  total += seconds(forecast.rounds.full, forecast.round.all());
  if (forecast.last_round) total += seconds(1, forecast.last_round->all());
  return total;
}

std::optional<Picoseconds> sending_of(const Scenario& scenario) {
  if (scenario.network.topology != Topology::kSwitch) return std::nullopt;
  const Costs costs(scenario);
  Picoseconds sending = 0;
  for (const Op& op : make_program(plan_of(scenario), 0).ops) {
    if (op.kind == OpKind::kSend) sending += costs.card(costs.bytes(op.slice.count));
  }
  return sending * scenario.job.buckets;
}

void count_messages(const Scenario& scenario, Forecast& forecast) {
  const ClosedForm form = closed_form(plan_of(scenario));
  const auto in_all = [&](std::int64_t of_an_exchange) -> std::optional<std::int64_t> {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(of_an_exchange, forecast.rounds.all(), &product)) return std::nullopt;
    if (__builtin_mul_overflow(product, std::int64_t{scenario.job.buckets}, &product)) return std::nullopt;
    return product;
  };
  forecast.messages = in_all(form.messages);
  std::int64_t bytes = 0;
  if (!__builtin_mul_overflow(form.elements, scenario.model.bytes_per_parameter, &bytes)) {
    forecast.bytes = in_all(bytes);
  }
}

// Rounds and their times, and nothing else of a forecast.
Forecast times_of(const Scenario& scenario) {
  require_known(scenario);
  Forecast forecast;
  forecast.rounds = rounds_of(scenario);
  forecast.round = round_time(scenario, scenario.job.strategy);
  if (forecast.rounds.partial > 0) forecast.last_round = last_round_of(scenario, forecast);
  forecast.total_s = total_of(scenario, forecast);
  return forecast;
}

}  // namespace

Rounds rounds_of(const Scenario& scenario) {
  const Scenario::Job& job = scenario.job;
  if (job.federated) return {.full = std::max<std::int64_t>(job.rounds, 1)};
  if (job.rounds > 0) return {.full = job.rounds};
  std::int64_t batches = 0;
  if (__builtin_mul_overflow(batches_per_epoch(job), job.epochs, &batches)) {
    throw bad_input("there are more mini-batches than can be counted", "take fewer epochs or samples");
  }
  const std::int64_t in_a_round = job.workers * job.local_steps;
  const std::int64_t left = batches % in_a_round;
  return {.full = batches / in_a_round,
          .partial = left > 0 ? 1 : 0,
          .workers_in_last = static_cast<std::int32_t>(ceil_div(left, job.local_steps))};
}

Scenario with_workers(Scenario scenario, std::int32_t workers) {
  const auto shorten = [&](auto& by_worker) {
    if (std::ssize(by_worker) > workers) by_worker.resize(idx(workers));
  };
  scenario.job.workers = workers;
  if (scenario.server.on_workers) scenario.server.count = std::min(scenario.server.count, workers);
  shorten(scenario.compute.factors);
  shorten(scenario.compute.starts);
  return scenario;
}

RoundTime round_time(const Scenario& scenario, Strategy strategy) {
  if (scenario.compute.spread != Spread::kNone) {
    Scenario steady = scenario;
    steady.compute.spread = Spread::kNone;
    return round_time(steady, strategy);
  }
  return scenario.time ? measured_round(scenario) : modelled_round(scenario, strategy);
}

std::optional<Picoseconds> known_round(const Scenario& scenario, Strategy strategy) {
  if (!is_known(scenario, strategy)) return std::nullopt;
  try {
    return round_time(scenario, strategy).all();
  } catch (const Error&) {
    return std::nullopt;
  }
}

double total_seconds(const Scenario& scenario) { return times_of(scenario).total_s; }

Forecast forecast(const Scenario& scenario) {
  Forecast forecast = times_of(scenario);
  forecast.speedup = speedup_of(scenario, forecast.total_s);
  forecast.communication_exceeds_at = exceeds_at(scenario);
  const Scenario::Compute& compute = scenario.compute;
  const bool alike = compute.factors.empty() && compute.starts.empty() && compute.spread == Spread::kNone;
  forecast.exact = alike;
  if (scenario.time) return forecast;
  const PlanSpec spec = plan_of(scenario);
  const bool once = forecast.rounds.all() * scenario.job.buckets == 1;
  forecast.exact = alike && is_exact(spec) && scenario.network.topology == Topology::kSwitch &&
                   (once || all_end_together(spec));
  if (scenario.model.parameters == 0) return forecast;
  count_messages(scenario, forecast);
  forecast.sending = sending_of(scenario);
  if (!scenario.job.federated) forecast.ranking = rank_strategies(scenario, forecast.rounds.all());
  return forecast;
}

}  // namespace trireme
