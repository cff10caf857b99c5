// Measures the speed of updates and norms: bytes read and written per second, in cache and in memory. Rules
// that look at a whole tensor have a vector here; orthogonal_bench.cc measures matrices.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/types.h"
#include "optim/norm.h"
#include "optim/rule.h"

namespace trireme::optim {
namespace {

// Reads gradients; reads and writes weights and state: what any way to compute the rule must do.
std::int64_t bytes_per_element(UpdateRule& rule) {
  return static_cast<std::int64_t>(sizeof(float)) * (3 + 2 * static_cast<std::int64_t>(rule.state().size()));
}

void bench_rule(benchmark::State& state, RuleKind kind) {
  const std::int64_t count = state.range(0);
  UpdateRule rule(default_rule(kind), vector_of(count));
  std::vector<float> weights(idx(count), 0.5F);
  std::vector<float> gradients(idx(count));
  for (std::size_t i = 0; i < gradients.size(); ++i)
    gradients[i] = 0.01F + 0.001F * static_cast<float>(i % 7);
  UpdateStep step{.number = 0, .rate = 1e-6};
  for (auto _ : state) {
    ++step.number;
    rule.apply_tensor(weights, gradients, step);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * bytes_per_element(rule));
}

void bench_norm(benchmark::State& state) {
  const std::int64_t count = state.range(0);
  const std::vector<float> values(idx(count), 0.01F);
  std::vector<double> sums(idx(norm_blocks(count)));
  for (auto _ : state) {
    sum_squares(values, sums);
    benchmark::DoNotOptimize(norm_of(sums));
  }
  state.SetBytesProcessed(state.iterations() * count * static_cast<std::int64_t>(sizeof(float)));
}

void bench_scale(benchmark::State& state) {
  const std::int64_t count = state.range(0);
  std::vector<float> values(idx(count), 0.01F);
  for (auto _ : state) {
    scale(values, 0.9999999F);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * 2 * static_cast<std::int64_t>(sizeof(float)));
}

constexpr std::int64_t kInCache = 4096;
constexpr std::int64_t kOutOfCache = 1 << 20;

[[maybe_unused]] const bool kRegistered = [] {
  for (const RuleKind kind : all_rule_kinds()) {
    benchmark::RegisterBenchmark(std::string(name(kind)).c_str(), bench_rule, kind)
        ->Arg(kInCache)
        ->Arg(kOutOfCache);
  }
  benchmark::RegisterBenchmark("norm", bench_norm)->Arg(kInCache)->Arg(kOutOfCache);
  benchmark::RegisterBenchmark("scale", bench_scale)->Arg(kInCache)->Arg(kOutOfCache);
  return true;
}();

}  // namespace
}  // namespace trireme::optim
