// Measures the cost of making, verifying and counting plans: one node's program among 100,000, and whole
// plans.
#include <benchmark/benchmark.h>

#include "plan/count.h"
#include "plan/plan.h"
#include "plan/strategies/strategies.h"
#include "plan/verifier/verify.h"

namespace trireme::plan::verifier {
namespace {

constexpr std::int32_t kWorkers = 100'000;

PlanSpec spec_of(Strategy strategy, std::int32_t workers, std::int64_t parameters) {
  PlanSpec spec;
  spec.strategy = strategy;
  spec.workers = workers;
  spec.parameters = parameters;
  if (strategy == Strategy::kParameterServer) spec.shares_on_workers = workers;
  return spec;
}

std::size_t count_ops(const Plan& plan) {
  std::size_t ops = 0;
  for (const Program& program : plan.programs) ops += program.ops.size();
  return ops;
}

void report_ops(benchmark::State& state, std::size_t ops) {
  state.counters["ops"] = static_cast<double>(ops);
  state.counters["time_per_op"] = benchmark::Counter(
      static_cast<double>(ops), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void make_one_program(benchmark::State& state, Strategy strategy) {
  const PlanSpec spec = spec_of(strategy, kWorkers, 10'000'019);
  check(spec);
  std::size_t ops = 0;
  for (auto _ : state) {
    const Program program = make_program(spec, kWorkers / 3);
    ops = program.ops.size();
    benchmark::DoNotOptimize(program.ops.data());
  }
  report_ops(state, ops);
}
BENCHMARK_CAPTURE(make_one_program, ring, Strategy::kRing)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(make_one_program, direct, Strategy::kDirect)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(make_one_program, all_to_all, Strategy::kAllToAll)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(make_one_program, parameter_server, Strategy::kParameterServer)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(make_one_program, tree, Strategy::kTree)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(make_one_program, halving_doubling, Strategy::kHalvingDoubling)
    ->Unit(benchmark::kMicrosecond);

void make_whole_ring(benchmark::State& state) {
  const PlanSpec spec = spec_of(Strategy::kRing, static_cast<std::int32_t>(state.range(0)), 10'000'019);
  std::size_t ops = 0;
  for (auto _ : state) {
    const Plan plan = make_plan(spec);
    ops = count_ops(plan);
    benchmark::DoNotOptimize(plan.programs.data());
  }
  report_ops(state, ops);
}
BENCHMARK(make_whole_ring)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void verify_whole_ring(benchmark::State& state) {
  const Plan plan =
      make_plan(spec_of(Strategy::kRing, static_cast<std::int32_t>(state.range(0)), 10'000'019));
  for (auto _ : state) {
    if (!verify(plan).empty()) state.SkipWithError("the ring is wrong");
  }
  report_ops(state, count_ops(plan));
}
BENCHMARK(verify_whole_ring)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void count_whole_ring(benchmark::State& state) {
  const Plan plan =
      make_plan(spec_of(Strategy::kRing, static_cast<std::int32_t>(state.range(0)), 10'000'019));
  for (auto _ : state) benchmark::DoNotOptimize(count(plan).messages);
  report_ops(state, count_ops(plan));
}
BENCHMARK(count_whole_ring)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void make_verify_and_count_ring(benchmark::State& state) {
  const PlanSpec spec = spec_of(Strategy::kRing, static_cast<std::int32_t>(state.range(0)), 10'000'019);
  std::size_t ops = 0;
  for (auto _ : state) {
    const Plan plan = make_plan(spec);
    if (!verify(plan).empty()) state.SkipWithError("the ring is wrong");
    benchmark::DoNotOptimize(count(plan).messages);
    ops = count_ops(plan);
  }
  report_ops(state, ops);
}
BENCHMARK(make_verify_and_count_ring)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trireme::plan::verifier
