// Measures how many messages per second the event loop handles, and how many formulas are evaluated.
#include <benchmark/benchmark.h>

#include "plan/strategies/strategies.h"
#include "sim/events/sync_run.h"
#include "sim/model/costs.h"
#include "sim/planner/exchange_time.h"

namespace trireme::sim {
namespace {

Scenario cluster(std::int32_t workers) {
  Scenario scenario;
  scenario.job.workers = workers;
  scenario.model.parameters = std::int64_t{workers} * 1000;
  scenario.network.latency = 25 * kMicrosecond;
  scenario.network.bandwidth = 1.25e9;
  scenario.compute.per_batch = 3 * kMillisecond;
  return scenario;
}

plan::PlanSpec spec_of(const Scenario& scenario, plan::Strategy strategy) {
  plan::PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = scenario.job.workers;
  spec.parameters = scenario.model.parameters;
  if (strategy == plan::Strategy::kParameterServer) spec.servers = 1;
  return spec;
}

void report(benchmark::State& state, const SyncResult& result) {
  state.counters["messages"] = static_cast<double>(result.messages);
  state.counters["messages_per_s"] =
      benchmark::Counter(static_cast<double>(result.messages), benchmark::Counter::kIsIterationInvariantRate);
}

void ring_of_all(benchmark::State& state) {
  const Scenario scenario = cluster(static_cast<std::int32_t>(state.range(0)));
  const plan::PlanSpec spec = spec_of(scenario, plan::Strategy::kRing);
  SyncResult result;
  for (auto _ : state) result = simulate_sync_of_all(scenario, spec, 1);
  report(state, result);
}
BENCHMARK(ring_of_all)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

void uneven_ring(benchmark::State& state) {
  Scenario scenario = cluster(static_cast<std::int32_t>(state.range(0)));
  scenario.compute.spread = Spread::kLognormal;
  scenario.compute.deviation = 0.2;
  const plan::PlanSpec spec = spec_of(scenario, plan::Strategy::kRing);
  SyncResult result;
  for (auto _ : state) result = simulate_sync(scenario, spec, 1);
  report(state, result);
}
BENCHMARK(uneven_ring)->Arg(1024)->Unit(benchmark::kMillisecond);

void all_to_all_of_all(benchmark::State& state) {
  const Scenario scenario = cluster(static_cast<std::int32_t>(state.range(0)));
  const plan::PlanSpec spec = spec_of(scenario, plan::Strategy::kAllToAll);
  SyncResult result;
  for (auto _ : state) result = simulate_sync_of_all(scenario, spec, 1);
  report(state, result);
}
BENCHMARK(all_to_all_of_all)->Arg(1024)->Unit(benchmark::kMillisecond);

void identical_ring(benchmark::State& state) {
  const Scenario scenario = cluster(static_cast<std::int32_t>(state.range(0)));
  const plan::PlanSpec spec = spec_of(scenario, plan::Strategy::kRing);
  for (auto _ : state) benchmark::DoNotOptimize(simulate_sync(scenario, spec, 1).total());
}
BENCHMARK(identical_ring)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// 1 … 1,024 workers × 8 strategies × 20 sizes.
void formulas(benchmark::State& state) {
  Scenario scenario = cluster(1);
  const Costs costs(scenario);
  for (auto _ : state) {
    Picoseconds sum = 0;
    for (const plan::Strategy strategy : plan::all_strategies()) {
      for (std::int32_t workers = 1; workers <= 1024; ++workers) {
        for (int size = 0; size < 20; ++size) {
          plan::PlanSpec spec;
          spec.strategy = strategy;
          spec.workers = workers;
          spec.parameters = std::int64_t{1000} << size;
          if (strategy == plan::Strategy::kParameterServer) spec.servers = 1;
          sum += exchange_time(spec, costs).each;
        }
      }
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(formulas)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trireme::sim
