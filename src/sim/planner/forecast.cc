#include "sim/planner/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "plan/strategies/closed_form.h"
#include "plan/strategies/strategies.h"
#include "sim/events/sync_run.h"
#include "sim/model/ceil_div.h"
#include "sim/model/compute_time.h"
#include "sim/model/costs.h"
#include "sim/model/job_plan.h"
#include "sim/model/work.h"
#include "sim/planner/exchange_time.h"
#include "sim/planner/simulation.h"

namespace trireme::sim {
namespace {

// The time of a whole job: sums of picoseconds exceed 63 bits after a few months.
double seconds(std::int64_t rounds, Picoseconds each) {
  return static_cast<double>(static_cast<__int128>(rounds) * each) / static_cast<double>(kSecond);
}

// All workers wait for the slowest.
Picoseconds slowest(const Scenario& scenario, Picoseconds usual) {
  const double factor = slowest_factor(scenario);
  if (factor == 1) return usual;
  const double time = static_cast<double>(usual) * factor;
  if (time > static_cast<double>(kLongestComputation)) {
    refuse_as_too_long("what a worker computes in a round", kLongestComputation);
  }
  return static_cast<Picoseconds>(std::llround(time));
}

// On a ring of links, a ring uses each link alone: no message waits for another node's message.
bool is_ring_on_links(const Scenario& scenario, plan::Strategy strategy) {
  const bool is_ring = strategy == plan::Strategy::kRing ||
                       (strategy == plan::Strategy::kHierarchical && scenario.host.workers == 1);
  return is_ring && scenario.network.topology == Topology::kRing;
}

bool has_formula(const Scenario& scenario, plan::Strategy strategy) {
  return scenario.time || scenario.network.topology == Topology::kSwitch || scenario.model.parameters == 0 ||
         is_ring_on_links(scenario, strategy);
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

// The limit of messages times links for one forecast: so many are simulated in about a second.
constexpr double kMostSimulated = 5e6;
constexpr std::int32_t kMostNodesSimulated = 50'000;
constexpr int kRoundsSimulated = 2;  // the first one, and one that is like all later ones

// Without a formula: two rounds of the event loop, with `computation` between them.
ExchangeTime simulated_exchange(Scenario scenario, const plan::PlanSpec& spec, Picoseconds computation) {
  scenario.compute = {.ready = computation, .reduce = scenario.compute.reduce, .factors = {}, .starts = {}};
  scenario.host.cores = 0;  // they are included in `computation`
  scenario.server.aggregate = scenario.server.update = 0;
  scenario.job.buckets = 1;
  const std::vector<Picoseconds> ends = simulate_sync(scenario, spec, kRoundsSimulated).round_ends;
  return {.each = ends[1] - ends[0] - computation, .first_more = 2 * ends[0] - ends[1]};
}

// Excludes the extra time of servers.
ExchangeTime exchange_of(const Scenario& scenario, const plan::PlanSpec& spec, Picoseconds computation) {
  return has_formula(scenario, spec.strategy) ? exchange_time(spec, Costs(scenario))
                                              : simulated_exchange(scenario, spec, computation);
}

// Identical workers: the computation of one, and the exchange of each bucket as soon as the bucket is ready
// and the previous one is done.
RoundTime modelled_round(const Scenario& scenario, plan::Strategy strategy) {
  const plan::PlanSpec spec = plan_of(scenario, strategy);
  const bool has_servers = strategy == plan::Strategy::kParameterServer;
  const Scenario::Server at_holder = has_servers ? scenario.server : Scenario::Server{};
  Scenario without_adding = scenario;
  without_adding.compute.reduce = 0;
  RoundTime round;
  round.compute = slowest(scenario, compute_time(scenario, scenario.job.workers, 0));
  const ExchangeTime time = exchange_of(scenario, spec, round.compute);
  const Picoseconds exchange = time.each;
  const Picoseconds messages =
      scenario.compute.reduce > 0 ? exchange_of(without_adding, spec, round.compute).each : exchange;
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
  (rounds_of(scenario).all() == 1 ? round.messages : round.first_more) += time.first_more;
  return round;
}

// Each message counts once for every link that it uses.
double simulated_messages(const Scenario& scenario, const plan::PlanSpec& spec) {
  // On a ring of links a message uses several links in sequence, a quarter of them on average.
  const bool on_links = scenario.network.topology == Topology::kRing;
  const double links = on_links ? std::max(spec.nodes() / 4.0, 1.0) : 1;
  const int times = scenario.compute.reduce > 0 ? 2 : 1;  // to separate messages from additions
  return static_cast<double>(plan::closed_form(spec).messages) * links * kRoundsSimulated * times;
}

bool is_known(const Scenario& scenario, plan::Strategy strategy) {
  const bool is_whole = scenario.job.workers % scenario.host.workers == 0;
  if (strategy == plan::Strategy::kHierarchical && !is_whole) return false;
  if (scenario.time) return true;
  try {
    const plan::PlanSpec spec = plan_of(scenario, strategy);
    if (has_formula(scenario, strategy)) return true;
    return spec.nodes() <= kMostNodesSimulated && simulated_messages(scenario, spec) <= kMostSimulated;
  } catch (const Error&) {  // more than any plan can have
    return false;
  }
}

// Throws unless there is a formula or few enough messages to simulate.
void require_known(const Scenario& scenario) {
  require_formula(scenario);
  if (!scenario.time) static_cast<void>(plan_of(scenario));  // reports what is wrong with it
  if (!is_known(scenario, scenario.job.strategy)) {
    throw bad_input(
        fmt::format("{} of {} workers has too many messages to simulate a round of it, and there is no "
                    "formula but for a switch",
                    plan::name(scenario.job.strategy), with_commas(scenario.job.workers)),
        "take fewer workers, or network.topology = \"switch\"");
  }
}

std::vector<Ranked> rank_strategies(const Scenario& scenario) {
  std::vector<Ranked> ranking;
  for (const plan::Strategy strategy : plan::all_strategies()) {
    const std::optional<JobTime> time = known_time(scenario, strategy);
    if (time) ranking.push_back({strategy, time->round, time->total_s, time->exact});
  }
  std::stable_sort(ranking.begin(), ranking.end(), [&](const Ranked& a, const Ranked& b) {
    const bool own_first = a.strategy == scenario.job.strategy && b.strategy != a.strategy;
    return a.total_s < b.total_s || (a.total_s == b.total_s && own_first);
  });
  return ranking;
}

bool communication_exceeds(const Scenario& scenario) {
  const RoundTime round = round_time(scenario, scenario.job.strategy);
  return round.all() - round.compute > round.compute;
}

// The first number of workers for which it holds. It may hold and not hold again for numbers that are not
// powers of two; only the first counts.
std::optional<std::int64_t> exceeds_at(const Scenario& scenario) {
  // On hosts and rings of links every number of workers would be simulated.
  if (scenario.job.federated || !has_formula(scenario, scenario.job.strategy)) return std::nullopt;
  constexpr std::int32_t kMost = 1 << 16;
  const std::int32_t stride =
      scenario.job.strategy == plan::Strategy::kHierarchical && !scenario.time ? scenario.host.workers : 1;
  for (std::int32_t workers = stride; workers <= kMost; workers += stride) {
    if (communication_exceeds(with_workers(scenario, workers))) return workers;
  }
  return std::nullopt;
}

// The other workers have no batch but still exchange; a partial round is shorter only if a master waits just
// for the workers that have a batch.
RoundTime last_round_of(const Scenario& scenario, const Forecast& forecast) {
  if (!scenario.time) return forecast.round;
  return round_time(with_workers(scenario, forecast.rounds.workers_in_last), scenario.job.strategy);
}

double total_of(const Scenario& scenario, const Forecast& forecast) {
  const std::vector<Picoseconds>& starts = scenario.compute.starts;
  double total = starts.empty() ? 0 : in_seconds(*std::max_element(starts.begin(), starts.end()));
  total += seconds(forecast.rounds.full, forecast.round.all());
  if (forecast.last_round) total += seconds(1, forecast.last_round->all());
  return total + seconds(1, forecast.round.first_more);
}

std::optional<Picoseconds> sending_of(const Scenario& scenario) {
  if (scenario.network.topology != Topology::kSwitch) return std::nullopt;
  const Costs costs(scenario);
  Picoseconds sending = 0;
  for (const plan::Op& op : plan::make_program(plan_of(scenario), 0).ops) {
    if (op.kind == plan::OpKind::kSend) sending += costs.card(costs.bytes(op.slice.count));
  }
  return sending * scenario.job.buckets;
}

void count_messages(const Scenario& scenario, Forecast& forecast) {
  const plan::ClosedForm form = plan::closed_form(plan_of(scenario));
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

Series series_of(const Scenario::Job& job, const Rounds& rounds) {
  if (rounds.all() == 1 && job.buckets == 1) return Series::kOnce;
  return job.overlap && job.buckets > 1 ? Series::kDuringBackward : Series::kInARow;
}

bool is_exact(const Scenario& scenario, const Rounds& rounds) {
  const Scenario::Compute& compute = scenario.compute;
  const bool alike = compute.factors.empty() && compute.starts.empty() && compute.spread == Spread::kNone;
  if (scenario.time || !alike) return alike;
  return has_formula(scenario, scenario.job.strategy) &&
         is_exact(plan_of(scenario), series_of(scenario.job, rounds));
}

// Only the rounds and times of a forecast.
Forecast times_of(const Scenario& scenario) {
  Forecast forecast;
  forecast.rounds = rounds_of(scenario);
  forecast.round = round_time(scenario, scenario.job.strategy);
  if (forecast.rounds.partial > 0) forecast.last_round = last_round_of(scenario, forecast);
  forecast.total_s = total_of(scenario, forecast);
  forecast.exact = is_exact(scenario, forecast.rounds);
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

// Suggests trireme simulate only as far as that would accept the job.
void require_formula(const Scenario& scenario) {
  if (scenario.job.mode.kind == Mode::Kind::kSync) return;
  throw bad_input("there is no formula for workers that do not wait for all others",
                  is_simulable(scenario) ? "use trireme simulate"
                                         : "use trireme simulate with fewer rounds, updates or workers, or "
                                           "less time: as it is, this job is too large for it");
}

RoundTime round_time(const Scenario& scenario, plan::Strategy strategy) {
  if (scenario.compute.spread != Spread::kNone) {
    Scenario steady = scenario;
    steady.compute.spread = Spread::kNone;
    return round_time(steady, strategy);
  }
  return scenario.time ? measured_round(scenario) : modelled_round(scenario, strategy);
}

std::optional<JobTime> known_time(const Scenario& scenario, plan::Strategy strategy) {
  if (!is_known(scenario, strategy)) return std::nullopt;
  Scenario with = scenario;
  with.job.strategy = strategy;
  try {
    const Forecast times = times_of(with);
    return JobTime{times.round.all(), times.total_s, times.exact};
  } catch (const Error&) {
    return std::nullopt;
  }
}

Forecast forecast(const Scenario& scenario) {
  require_known(scenario);
  Forecast forecast = times_of(scenario);
  forecast.speedup = speedup_of(scenario, forecast.total_s);
  forecast.communication_exceeds_at = exceeds_at(scenario);
  if (scenario.time || scenario.model.parameters == 0) return forecast;
  count_messages(scenario, forecast);
  forecast.sending = sending_of(scenario);
  if (!scenario.job.federated) forecast.ranking = rank_strategies(scenario);
  return forecast;
}

}  // namespace trireme::sim
