// A ring of four threads over 16 MiB of float32 against adding up the same four buffers in one thread.
//
// The contestants take turns within each iteration, so that a change of the machine's speed meets all of
// them. Read the counters, not the time of the iteration: medians in ms, and how many times longer the ring
// takes than each plain sum.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "exec/kernels/kernels.h"
#include "exec/runner.h"
#include "wire/threads/in_process.h"

namespace trireme::exec {
namespace {

constexpr Rank kNodes = 4;
constexpr std::int64_t kElements = (16 << 20) / 4;

using Floats = std::vector<float>;

std::byte* bytes_of(Floats& floats) { return std::as_writable_bytes(std::span(floats)).data(); }

// Nodes with prepared Runners, whose threads are started once and meet at a barrier for every exchange.
class StandingRing {
 public:
  explicit StandingRing(plan::Strategy strategy)
      : fabric_(kNodes), meet_(kNodes + 1), buffers_(kNodes, Floats(kElements, 0.0F)) {
    plan::PlanSpec spec;
    spec.strategy = strategy;
    spec.workers = kNodes;
    spec.parameters = kElements;
    for (Rank rank = 0; rank < kNodes; ++rank)
      threads_.emplace_back([this, spec, rank] { serve(spec, rank); });
  }
  StandingRing(const StandingRing&) = delete;
  StandingRing& operator=(const StandingRing&) = delete;

  ~StandingRing() {
    done_ = true;
    meet_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }

  void exchange() {
    meet_.arrive_and_wait();
    meet_.arrive_and_wait();
  }

  std::vector<Floats>& buffers() { return buffers_; }

 private:
  void serve(const plan::PlanSpec& spec, Rank rank) {
    Runner runner(spec, ElementType::kFloat32, fabric_.wire(rank));
    for (;;) {
      meet_.arrive_and_wait();
      if (done_) return;
      runner.run(std::as_writable_bytes(std::span(buffers_[idx(rank)])),
                 Deadline::after(std::chrono::seconds(60)));
      meet_.arrive_and_wait();
    }
  }

  wire::threads::InProcessFabric fabric_;
  std::barrier<> meet_;
  bool done_ = false;  // written before the barrier, read after it
  std::vector<Floats> buffers_;
  std::vector<std::thread> threads_;
};

void plain_fold(std::vector<Floats>& buffers, Floats& sum) {
  std::vector<const std::byte*> sources;
  sources.reserve(buffers.size());
  for (Floats& buffer : buffers) sources.push_back(bytes_of(buffer));
  std::byte* const target = bytes_of(sum);
  fold(ElementType::kFloat32, Reduction::kSum, {&target, 1}, sources, kElements);
}

// The loop that one would write first; the compiler vectorizes it.
void plain_loop(const std::vector<Floats>& buffers, Floats& sum) {
  const float* a = buffers[0].data();
  const float* b = buffers[1].data();
  const float* c = buffers[2].data();
  const float* d = buffers[3].data();
  float* into = sum.data();
  for (std::int64_t i = 0; i < kElements; ++i) into[i] = a[i] + b[i] + c[i] + d[i];
  benchmark::ClobberMemory();
}

class Stopwatch {
 public:
  void time(const std::function<void()>& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    laps_.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }

  [[nodiscard]] double median() {
    std::nth_element(laps_.begin(), laps_.begin() + static_cast<std::ptrdiff_t>(laps_.size() / 2),
                     laps_.end());
    return laps_[laps_.size() / 2];
  }

 private:
  std::vector<double> laps_;
};

void bench_against_plain_sum(benchmark::State& state, plan::Strategy strategy) {
  StandingRing ring(strategy);
  Floats sum(kElements);
  Stopwatch exchange;
  Stopwatch fold_sum;
  Stopwatch loop_sum;
  ring.exchange();  // touches all memory
  plain_fold(ring.buffers(), sum);
  for (auto _ : state) {
    exchange.time([&] { ring.exchange(); });
    fold_sum.time([&] { plain_fold(ring.buffers(), sum); });
    loop_sum.time([&] { plain_loop(ring.buffers(), sum); });
  }
  state.counters["exchange_ms"] = exchange.median();
  state.counters["fold_ms"] = fold_sum.median();
  state.counters["loop_ms"] = loop_sum.median();
  state.counters["x_fold"] = exchange.median() / fold_sum.median();
  state.counters["x_loop"] = exchange.median() / loop_sum.median();
}

BENCHMARK_CAPTURE(bench_against_plain_sum, ring, plan::Strategy::kRing)
    ->Iterations(41)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bench_against_plain_sum, direct, plan::Strategy::kDirect)
    ->Iterations(41)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trireme::exec
