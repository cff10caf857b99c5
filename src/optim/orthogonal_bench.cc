// Measures how long a gradient takes to be orthogonalized: the layers of the mlp of `trireme train`, with
// gradients of the rank of a batch of 64.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/random_stream.h"
#include "optim/matrix_product.h"
#include "optim/orthogonal.h"

namespace trireme::optim {
namespace {

constexpr std::size_t kRank = 64;

std::vector<float> random_matrix(std::size_t count, std::string_view which) {
  RandomStream random(1, which);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

void bench_orthogonalize(benchmark::State& state, void (*orthogonalize_somehow)(const Matrix&)) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto columns = static_cast<std::size_t>(state.range(1));
  const std::vector<float> left = random_matrix(rows * kRank, "left");
  const std::vector<float> right = random_matrix(kRank * columns, "right");
  std::vector<float> gradient(rows * columns);
  multiply(by_rows(left.data(), rows, kRank), by_rows(right.data(), kRank, columns), gradient.data());
  for (auto _ : state) {
    std::vector<float> values = gradient;
    orthogonalize_somehow({values, rows, columns});
    benchmark::DoNotOptimize(values.data());
  }
}

BENCHMARK_CAPTURE(bench_orthogonalize, iteration, orthogonalize)->Args({512, 784})->Args({256, 512});
BENCHMARK_CAPTURE(bench_orthogonalize, svd, orthogonalize_by_svd)->Args({512, 784})->Args({256, 512});
BENCHMARK_CAPTURE(bench_orthogonalize, muon, orthogonalize_roughly)->Args({512, 784})->Args({256, 512});

}  // namespace
}  // namespace trireme::optim
