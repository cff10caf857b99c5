// How fast the kernels are: bytes read and written per second, in cache and out of it.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "exec/kernels/kernels.h"

namespace trireme::exec {
namespace {

using Buffer = std::vector<std::byte>;

// Counts every source read and the result written once.
void report_traffic(benchmark::State& state, std::size_t sources, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>((sources + 1) * bytes));
}

void bench_fold(benchmark::State& state, ElementType type, Reduction reduction) {
  const auto source_count = static_cast<std::size_t>(state.range(0));
  const auto bytes = static_cast<std::size_t>(state.range(1));
  std::vector<Buffer> sources(source_count, Buffer(bytes));
  std::vector<const std::byte*> pointers;
  pointers.reserve(source_count);
  for (const Buffer& source : sources) pointers.push_back(source.data());
  Buffer into(bytes);
  for (auto _ : state) {
    std::byte* const target = into.data();
    fold(type, reduction, {&target, 1}, pointers, static_cast<std::int64_t>(bytes) / size_of(type));
    benchmark::ClobberMemory();
  }
  report_traffic(state, source_count, bytes);
}

void bench_combine(benchmark::State& state, ElementType type, Reduction reduction) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Buffer from(bytes);
  Buffer into(bytes);
  const wire::Combine combine = combine_kernel(type, reduction);
  for (auto _ : state) {
    combine(into.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  report_traffic(state, 2, bytes);
}

void bench_divide(benchmark::State& state, ElementType type) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  Buffer data(bytes);
  for (auto _ : state) {
    divide(type, data.data(), static_cast<std::int64_t>(bytes) / size_of(type), 7);
    benchmark::ClobberMemory();
  }
  report_traffic(state, 1, bytes);
}

constexpr std::int64_t kInCache = 16 << 10;
constexpr std::int64_t kOutOfCache = 16 << 20;

[[maybe_unused]] const bool kRegistered = [] {
  for (const ElementType type : all_element_types()) {
    const std::string type_name(name(type));
    for (const Reduction reduction : all_reductions()) {
      if (reduction == Reduction::kAverage) continue;  // a sum, and below a division
      const std::string names = std::string(name(reduction)) + "/" + type_name;
      benchmark::RegisterBenchmark(("fold/" + names).c_str(), bench_fold, type, reduction)
          ->ArgNames({"sources", "bytes"})
          ->ArgsProduct({{2, 4, 8}, {kInCache, kOutOfCache}});
      benchmark::RegisterBenchmark(("combine/" + names).c_str(), bench_combine, type, reduction)
          ->Arg(kInCache)
          ->Arg(kOutOfCache);
    }
    if (!is_integer(type))
      benchmark::RegisterBenchmark(("divide/" + type_name).c_str(), bench_divide, type)->Arg(kInCache);
  }
  return true;
}();

}  // namespace
}  // namespace trireme::exec
