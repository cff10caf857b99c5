// Measures matrix products: floating-point operations per second, of which a product of n×n matrices has 2·n³
// and one by the transpose half as many.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/types.h"
#include "optim/matrix_product.h"

namespace trireme::optim {
namespace {

void set_operations(benchmark::State& state, double operations) {
  state.counters["flops"] = benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate,
                                               benchmark::Counter::kIs1000);
}

void bench_product(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto inner = static_cast<std::size_t>(state.range(1));
  const auto columns = static_cast<std::size_t>(state.range(2));
  const std::vector<float> a(rows * inner, 0.5F);
  const std::vector<float> b(inner * columns, 0.25F);
  std::vector<float> product(rows * columns);
  for (auto _ : state) {
    multiply(by_rows(a.data(), rows, inner), by_rows(b.data(), inner, columns), product.data());
    benchmark::ClobberMemory();
  }
  set_operations(state, 2.0 * static_cast<double>(rows * inner * columns));
}

void bench_by_transpose(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto columns = static_cast<std::size_t>(state.range(1));
  const std::vector<float> a(rows * columns, 0.5F);
  std::vector<float> product(rows * rows);
  for (auto _ : state) {
    multiply_by_transpose(by_rows(a.data(), rows, columns), product.data());
    benchmark::ClobberMemory();
  }
  set_operations(state, static_cast<double>(rows * rows * columns));
}

// The hidden layers of the mlp of `trireme train`, and squares.
BENCHMARK(bench_product)->Args({512, 512, 784})->Args({64, 64, 64})->Args({2048, 2048, 2048});
BENCHMARK(bench_by_transpose)->Args({512, 784})->Args({2048, 2048});

}  // namespace
}  // namespace trireme::optim
