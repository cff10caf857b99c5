#include "sim/planner/simulation.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "plan/share.h"
#include "plan/strategies/closed_form.h"
#include "sim/model/compute_time.h"
#include "sim/model/job_plan.h"
#include "sim/model/limits.h"
#include "sim/planner/forecast.h"

namespace trireme::sim {
namespace {

// The memory kept for each round and for each update.
constexpr double kBytesPerRound = 2 * sizeof(Picoseconds);
constexpr double kBytesPerUpdate = 2 * sizeof(SimUpdate);

constexpr std::string_view kSyncHint =
    "take fewer rounds or workers; trireme predict takes any number of rounds";
constexpr std::string_view kFreeHint = "take fewer rounds, updates or workers, or less time";

void require_room(const plan::PlanSpec& spec, double exchanges, double kept_bytes, std::string_view hint) {
  require_few(static_cast<double>(plan::closed_form(spec).messages) * exchanges, "messages", hint);
  require_memory(working_bytes(spec) + kept_bytes, available_memory());
}

Picoseconds aggregation_of(const Scenario& scenario, std::int32_t taking_part) {
  if (scenario.time) {
    Picoseconds all = 0;
    const bool fits = !__builtin_mul_overflow(scenario.time->aggregate_per_worker, taking_part, &all);
    return fits ? all : std::numeric_limits<Picoseconds>::max();
  }
  const bool has_servers = scenario.job.strategy == plan::Strategy::kParameterServer;
  return has_servers ? scenario.server.aggregate + scenario.server.update : 0;
}

// Rounds without messages: every node receives, computes and sends by itself; then everything is aggregated,
// by the server if there is one.
class PhasesRun {
 public:
  PhasesRun(const Scenario& scenario, const SimWatch& watch)
      : scenario_(scenario),
        watch_(watch),
        time_(scenario.time.value_or(MeasuredPhases{})),
        aggregator_(scenario.job.strategy == plan::Strategy::kParameterServer ? scenario.job.workers : 0),
        nodes_(idx(std::max(scenario.job.workers, aggregator_ + 1))) {}

  void take_round(std::int64_t round, std::int32_t taking_part) {
    Picoseconds last = now_;
    for (Rank worker = 0; worker < taking_part; ++worker) last = std::max(last, take_part(worker, round));
    const Picoseconds aggregation = aggregation_of(scenario_, taking_part);
    nodes_[idx(aggregator_)].adding += aggregation;
    if (last > kLatest || aggregation > kLongestComputation) refuse_as_too_long("the simulated job", kLatest);
    tell(SimSpan::Kind::kAdd, aggregator_, round, last, last + aggregation);
    now_ = last + aggregation;
  }

  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] std::vector<NodeTimes> nodes() {
    for (NodeTimes& node : nodes_) node.end = now_;
    return nodes_;
  }

 private:
  Picoseconds take_part(Rank worker, std::int64_t round) {
    const Picoseconds computation = scenario_.time ? phase_compute_time(scenario_, worker, round)
                                                   : compute_time(scenario_, worker, round);
    const std::vector<Picoseconds>& starts = scenario_.compute.starts;
    const Picoseconds from = std::max(now_, idx(worker) < starts.size() ? starts[idx(worker)] : 0);
    const Picoseconds received = from + time_.receive;
    const Picoseconds computed = received + computation;
    NodeTimes& node = nodes_[idx(worker)];
    node.receiving += time_.receive;
    node.computing += computation;
    node.sending += time_.send;
    tell(SimSpan::Kind::kReceive, worker, round, from, received);
    tell(SimSpan::Kind::kCompute, worker, round, received, computed);
    tell(SimSpan::Kind::kSend, worker, round, computed, computed + time_.send);
    return computed + time_.send;
  }

  void tell(SimSpan::Kind kind, Rank node, std::int64_t round, Picoseconds start, Picoseconds end) const {
    if (watch_ && start < end) watch_({kind, node, node, 0, round, start, end, 0});
  }

  const Scenario& scenario_;
  const SimWatch& watch_;
  const MeasuredPhases time_;
  const Rank aggregator_;
  std::vector<NodeTimes> nodes_;
  Picoseconds now_ = 0;
};

Simulation of_phases(const Scenario& scenario, const SimWatch& watch, const SimProgress& progress) {
  const Rounds rounds = rounds_of(scenario);
  PhasesRun run(scenario, watch);
  for (std::int64_t round = 0; round < rounds.all(); ++round) {
    const std::int32_t taking_part = round < rounds.full ? scenario.job.workers : rounds.workers_in_last;
    run.take_round(round, taking_part);
    if (progress && (round + 1) * taking_part % kEventsBetweenProgress < taking_part) {
      progress(static_cast<double>(round) / static_cast<double>(rounds.all()));
    }
  }
  Simulation result;
  result.rounds = result.simulated_rounds = rounds.all();
  result.nodes = run.nodes();
  result.one_at_a_time = true;
  result.total_s = in_seconds(run.now());
  return result;
}

Simulation of_sync(const Scenario& scenario, const SimWatch& watch, const SimProgress& progress) {
  const plan::PlanSpec spec = plan_of(scenario);
  Simulation result;
  result.rounds = rounds_of(scenario).all();
  // Rounds that are all the same need not be simulated again.
  const bool repeats = is_symmetric(scenario, spec) && !watch;
  result.simulated_rounds = repeats ? std::min<std::int64_t>(result.rounds, 1) : result.rounds;
  const SyncResult run = watch
                             ? simulate_sync_of_all(scenario, spec, result.simulated_rounds, watch, progress)
                             : simulate_sync(scenario, spec, result.simulated_rounds, progress);
  const std::int64_t times = repeats ? result.rounds : 1;
  const auto in_all = [&](std::int64_t once) {
    std::int64_t all = 0;
    const bool fits = !__builtin_mul_overflow(once, times, &all);
    return fits ? std::optional(all) : std::nullopt;
  };
  result.total_s = in_seconds(run.total()) * static_cast<double>(times);
  result.messages = in_all(run.messages);
  if (run.bytes) result.bytes = in_all(*run.bytes);
  result.nodes = run.nodes;
  return result;
}

// Mini-batches go to the next worker that asks.
std::int64_t gradients_of(const Scenario& scenario) {
  const Scenario::Job& job = scenario.job;
  if (job.until_updates > 0) return job.until_updates;
  if (job.rounds > 0) {
    const std::int64_t left_out = job.mode.kind == Mode::Kind::kBackup ? job.mode.number : 0;
    return job.rounds * (job.workers - left_out);
  }
  if (job.samples > 0) return (job.samples + job.batch - 1) / job.batch * job.epochs;
  return std::numeric_limits<std::int64_t>::max();
}

// The updates of one core, one after the other from the beginning.
std::int64_t sequential_updates(const Scenario& scenario, const FreeResult& run) {
  Scenario steady = scenario;
  steady.compute.spread = Spread::kNone;
  // For a worker without its own factor.
  const Picoseconds each =
      compute_time(steady, scenario.job.workers, 0) + scenario.server.aggregate + scenario.server.update;
  if (scenario.job.until == 0 || each == 0) return std::ssize(run.updates);
  return scenario.job.until / each;
}

// An estimate, rather too high than too low.
double expected_updates(const Scenario& scenario, std::int64_t gradients) {
  const auto limit = static_cast<double>(gradients);
  if (scenario.job.until == 0) return limit;
  const Picoseconds on_the_way = 2 * (scenario.network.latency + scenario.network.overhead);
  Scenario steady = scenario;
  steady.compute.spread = Spread::kNone;
  double in_a_second = 0;
  for (Rank worker = 0; worker < scenario.job.workers; ++worker) {
    const Picoseconds each = compute_time(steady, worker, 0) + on_the_way;
    if (each == 0)
      throw bad_input("an update takes no time, so the simulation would never end",
                      "give compute.per_update, like \"0.2 s\"");
    in_a_second += static_cast<double>(kSecond) / static_cast<double>(each);
  }
  return std::min(limit, in_a_second * in_seconds(scenario.job.until));
}

Simulation of_free(const Scenario& scenario, const SimWatch& watch, const SimProgress& progress,
                   const WriteWatch& writes) {
  const plan::PlanSpec spec = plan_of(scenario);
  Simulation result;
  result.free = simulate_free(scenario, spec, gradients_of(scenario), watch, progress, writes);
  const FreeResult& run = *result.free;
  result.total_s = in_seconds(run.total);
  result.rounds = run.rounds;
  if (scenario.model.parameters > 0) {
    result.messages = run.messages;
    result.bytes = run.bytes;
  }
  result.nodes = run.nodes;
  if (scenario.job.mode.kind == Mode::Kind::kAsync) {
    result.sequential_updates = sequential_updates(scenario, run);
    result.bound_eta_delta = bound_eta_delta(run.updates, result.sequential_updates);
  }
  return result;
}

bool is_sync(const Scenario& scenario) { return scenario.job.mode.kind == Mode::Kind::kSync; }

bool has_no_messages(const Scenario& scenario) {
  return scenario.time || (is_sync(scenario) && scenario.model.parameters == 0);
}

// `every_node`: identical nodes are not simulated as one.
void require_simulable(const Scenario& scenario, bool every_node) {
  if (has_no_messages(scenario)) {
    const auto rounds = static_cast<double>(rounds_of(scenario).all());
    return require_few(rounds * scenario.job.workers, "computations", kSyncHint);
  }
  const plan::PlanSpec spec = plan_of(scenario);
  if (is_sync(scenario)) {
    if (is_symmetric(scenario, spec) && !every_node) return;
    const auto rounds = static_cast<double>(rounds_of(scenario).all());
    return require_room(spec, rounds * scenario.job.buckets, kBytesPerRound * rounds, kSyncHint);
  }
  const double updates = expected_updates(scenario, gradients_of(scenario));
  const double versions = 3.0 * sizeof(std::int64_t) * spec.workers * plan::share_count(spec);
  require_room(spec, updates / scenario.job.workers, kBytesPerUpdate * updates + versions, kFreeHint);
}

}  // namespace

Simulation simulate(const Scenario& scenario, const SimWatch& watch, const SimProgress& progress,
                    const WriteWatch& writes) {
  require_simulable(scenario, static_cast<bool>(watch));
  if (has_no_messages(scenario)) return of_phases(scenario, watch, progress);
  return is_sync(scenario) ? of_sync(scenario, watch, progress) : of_free(scenario, watch, progress, writes);
}

bool is_simulable(const Scenario& scenario) {
  try {
    require_simulable(scenario, false);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace trireme::sim
