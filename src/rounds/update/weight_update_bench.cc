// The update of the mlp's weights in a step (784-512-256-10, 535,818 parameters) against the loop of the rule
// alone on as much flat memory. The two take turns in one run; before each, its gradients are written, as
// backward does.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/types.h"
#include "rounds/update/weight_update.h"

namespace trireme::rounds {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The tensors of the model, each with memory of its own, as their bucket has them: the last comes first.
class Mlp {
 public:
  Mlp() {
    for (const std::vector<std::int64_t>& sizes :
         std::vector<std::vector<std::int64_t>>{{10}, {10, 256}, {256}, {256, 512}, {512}, {512, 784}}) {
      const optim::TensorShape shape = optim::shape_of(sizes);
      weights_.emplace_back(idx(shape.count()), 0.5F);
      pieces_.push_back({count_, weights_.back(), shape});
      count_ += shape.count();
    }
  }
  [[nodiscard]] const std::vector<WeightPiece>& pieces() const { return pieces_; }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  std::vector<std::vector<float>> weights_;
  std::vector<WeightPiece> pieces_;
  std::int64_t count_ = 0;
};

void bench_update(benchmark::State& state, RuleKind kind) {
  Mlp mlp;
  const RuleSpec rule = default_rule(kind);
  const std::size_t count = idx(mlp.count());
  const std::vector<float> gradients(count, 1e-3F);

  WeightUpdate update(mlp.pieces(), {0, mlp.count()});
  const std::size_t pieces = mlp.pieces().size();
  const PieceSteps steps{.rules = std::vector<RuleSpec>(pieces, rule),
                         .has_gradient = std::vector<bool>(pieces, true),
                         .measures = {}};
  float* window = static_cast<float*>(
      ::mmap(nullptr, count * sizeof(float), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const std::span<float> bucket(window, count);

  optim::UpdateRule kernel(rule, optim::vector_of(mlp.count()));
  std::vector<float> flat(count, 0.5F);
  std::vector<float> of_kernel(count);

  std::vector<double> of_step;
  std::vector<double> alone;
  std::int64_t number = 0;
  for (auto _ : state) {
    ++number;
    std::copy(gradients.begin(), gradients.end(), of_kernel.begin());
    Clock::time_point start = Clock::now();
    kernel.apply(flat, of_kernel, 0, {.number = number, .rate = rule.rate});
    benchmark::ClobberMemory();
    alone.push_back(seconds(start));
    std::copy(gradients.begin(), gradients.end(), bucket.begin());
    start = Clock::now();
    update.apply(bucket, 1, steps, WeightUpdate::Leave::kZeros);
    benchmark::ClobberMemory();
    of_step.push_back(seconds(start));
    state.SetIterationTime(of_step.back());
  }
  ::munmap(window, count * sizeof(float));
  state.counters["kernel_ms"] = 1e3 * median(alone);
  state.counters["update_ms"] = 1e3 * median(of_step);
  state.counters["ratio"] = median(of_step) / median(alone);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const RuleKind kind : {RuleKind::kSgd, RuleKind::kMomentum, RuleKind::kAdam}) {
    benchmark::RegisterBenchmark(("update_of_mlp/" + std::string(name(kind))).c_str(), bench_update, kind)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace trireme::rounds
