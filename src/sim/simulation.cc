#include "sim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "plan/closed_form.h"
#include "sim/compute_time.h"
#include "sim/forecast.h"
#include "sim/job_plan.h"

namespace trireme {
namespace {

constexpr std::int64_t kMostMessages = 2'000'000'000;
// Of a node with its window of steps, and of a message under way.
constexpr double kBytesPerNode = 6000;
constexpr double kBytesPerMessage = 128;

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word != "MemAvailable:") continue;
    std::int64_t kibibytes = 0;
    file >> kibibytes;
    return kibibytes * 1024;
  }
  return std::numeric_limits<std::int64_t>::max();
}

void require_room(const PlanSpec& spec, std::int64_t exchanges) {
  const ClosedForm form = closed_form(spec);
  const double messages = static_cast<double>(form.messages) * static_cast<double>(exchanges);
  if (messages > static_cast<double>(kMostMessages)) {
    throw bad_input(fmt::format("the simulation would have {:.3g} messages, and {} are the most", messages,
                                with_commas(kMostMessages)),
                    "take fewer rounds or workers; trireme predict takes any");
  }
  const double in_a_step =
      static_cast<double>(form.messages) / static_cast<double>(std::max<std::int64_t>(form.steps, 1));
  const double needed = kBytesPerNode * spec.nodes() + kBytesPerMessage * in_a_step;
  const std::int64_t available = available_memory();
  if (needed < static_cast<double>(available)) return;
  throw bad_input(fmt::format("the simulation would need {}, and there are {}",
                              bytes_in_words(static_cast<std::int64_t>(needed)), bytes_in_words(available)),
                  "take fewer workers");
}

// What a round takes besides computations where no message is looked at.
MeasuredPhases phases_of(const Scenario& scenario) { return scenario.time.value_or(MeasuredPhases{}); }

Picoseconds aggregation_of(const Scenario& scenario, std::int32_t taking_part) {
  if (scenario.time) return scenario.time->aggregate_per_worker * taking_part;
  const bool has_servers = scenario.job.strategy == Strategy::kParameterServer;
  return has_servers ? scenario.server.aggregate + scenario.server.update : 0;
}

// Rounds without messages: everybody receives, computes and sends by itself; then all is aggregated.
Simulation of_phases(const Scenario& scenario, const SimWatch& watch) {
  const Rounds rounds = rounds_of(scenario);
  const MeasuredPhases time = phases_of(scenario);
  Simulation result;
  result.rounds = result.simulated_rounds = rounds.all();
  result.nodes.resize(idx(scenario.job.workers));
  Picoseconds now = 0;
  for (std::int64_t round = 0; round < rounds.all(); ++round) {
    const bool partial = round >= rounds.full;
    const std::int32_t taking_part = partial ? rounds.workers_in_last : scenario.job.workers;
    Picoseconds last = now;
    for (Rank worker = 0; worker < taking_part; ++worker) {
      const Picoseconds from = now + time.receive;
      const Picoseconds computation =
          scenario.time ? phase_compute_time(scenario, worker, round) : compute_time(scenario, worker, round);
      if (watch) watch({SimSpan::Kind::kCompute, worker, worker, 0, round, from, from + computation, 0});
      result.nodes[idx(worker)].computing += computation;
      last = std::max(last, from + computation + time.send);
    }
    now = last + aggregation_of(scenario, taking_part);
  }
  for (NodeTimes& node : result.nodes) node.end = now;
  result.total_s = in_seconds(now);
  return result;
}

Simulation of_sync(const Scenario& scenario, const SimWatch& watch) {
  const PlanSpec spec = plan_of(scenario);
  Simulation result;
  result.rounds = rounds_of(scenario).all();
  // What is the same in every round need not be looked at again.
  const bool symmetric = is_symmetric(scenario, spec);
  const bool repeats = symmetric && !watch;
  result.simulated_rounds = repeats ? std::min<std::int64_t>(result.rounds, 1) : result.rounds;
  if (!repeats) require_room(spec, result.rounds * scenario.job.buckets);
  const SyncResult run = watch ? simulate_sync_of_all(scenario, spec, result.simulated_rounds, watch)
                               : simulate_sync(scenario, spec, result.simulated_rounds);
  const std::int64_t times = repeats ? result.rounds : 1;
  result.total_s = in_seconds(run.total()) * static_cast<double>(times);
  result.messages = run.messages * times;
  result.bytes = run.bytes * times;
  result.nodes = run.nodes;
  return result;
}

// Mini-batches are dealt out to whoever asks next.
std::int64_t gradients_of(const Scenario& scenario) {
  const Scenario::Job& job = scenario.job;
  if (job.until_updates > 0) return job.until_updates;
  if (job.rounds > 0) return job.rounds * job.workers;
  if (job.samples > 0) return (job.samples + job.batch - 1) / job.batch * job.epochs;
  return std::numeric_limits<std::int64_t>::max();
}

// On one core, one after the other from the beginning on.
std::int64_t sequential_updates(const Scenario& scenario, const FreeResult& run) {
  const Picoseconds each = scenario.compute.per_batch;
  if (scenario.job.until == 0 || each == 0) return std::ssize(run.updates);
  return scenario.job.until / each;
}

Simulation of_free(const Scenario& scenario, const SimWatch& watch) {
  const PlanSpec spec = plan_of(scenario);
  const std::int64_t gradients = gradients_of(scenario);
  if (scenario.job.until == 0) {
    require_room(spec, (gradients + scenario.job.workers - 1) / scenario.job.workers);
  }
  Simulation result;
  result.free = simulate_free(scenario, spec, gradients, watch);
  const FreeResult& run = *result.free;
  result.total_s = in_seconds(run.total);
  result.rounds = run.rounds;
  result.messages = run.messages;
  result.bytes = run.bytes;
  for (const Picoseconds computing : run.computing)
    result.nodes.push_back({.computing = computing, .end = run.total});
  if (scenario.job.mode.kind == Mode::Kind::kAsync) {
    result.bound_eta_delta = bound_eta_delta(run.updates, sequential_updates(scenario, run));
  }
  return result;
}

}  // namespace

Simulation simulate(const Scenario& scenario, const SimWatch& watch) {
  const bool is_sync = scenario.job.mode.kind == Mode::Kind::kSync;
  if (scenario.time || (is_sync && scenario.model.parameters == 0)) return of_phases(scenario, watch);
  return is_sync ? of_sync(scenario, watch) : of_free(scenario, watch);
}

}  // namespace trireme
