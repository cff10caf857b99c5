#include "cli/allreduce_timing.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <span>

#include "exec/auto_strategy.h"
#include "exec/runner.h"
#include "wire/barrier.h"
#include "wire/windows.h"

namespace trireme {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpSeconds = 0.4;
constexpr double kTimedSeconds = 1.6;
constexpr std::size_t kBatch = 10;  // so many calls before node 0 says whether there is time for more

std::size_t calls_for(std::int64_t bytes) {
  if (bytes < 64 << 10) return AllreduceTimes::kMostCalls;
  if (bytes < 4 << 20) return 200;
  return 20;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One node at work.
class Bench {
 public:
  Bench(Wire& wire, const AllreduceCase& setting, const AllreduceTimes& times)
      : wire_(wire),
        setting_(setting),
        times_(times),
        runner_(spec_of(setting), ElementType::kFloat32, wire) {
    const auto bytes = idx(setting.bytes);
    if (!setting.private_memory && wire.windows() != nullptr) {
      window_ = wire.windows()->make(wire, bytes, deadline());
      memory_ = window_.bytes();
    } else {
      own_.resize(bytes / sizeof(float));
      memory_ = std::as_writable_bytes(std::span(own_));
    }
    buffer_ = {reinterpret_cast<float*>(memory_.data()), bytes / sizeof(float)};
    runner_.prepare(deadline());
  }

  void check() {
    time_one_call();
    if (wire_.rank() >= setting_.workers) return;
    const auto workers = static_cast<float>(setting_.workers);
    const float ranks = workers * (workers - 1) / 2;
    for (std::size_t i = 0; i < buffer_.size(); ++i) {
      if (buffer_[i] == static_cast<float>(i % 1000) * workers + ranks) continue;
      Failure failure;
      failure.cause = Failure::Cause::kMismatch;
      failure.rank = wire_.rank();
      failure.what = "the sum is wrong";
      throw Error(failure);
    }
  }

  void repeat(std::size_t calls, double limit_seconds) {
    const bool leads = wire_.rank() == 0;
    barrier(wire_, deadline());
    if (leads) times_.calls() = times_.stop() = 0;
    const Clock::time_point start = Clock::now();
    for (std::size_t call = 0; call < calls; ++call) {
      times_.seconds(wire_.rank(), call) = time_one_call();
      if ((call + 1) % kBatch != 0) continue;
      if (leads) times_.stop() = seconds_since(start) >= limit_seconds ? 1 : 0;
      if (leads) times_.calls() = call + 1;
      barrier(wire_, deadline());
      if (times_.stop() != 0) return;
    }
    if (leads) times_.calls() = calls;
  }

 private:
  [[nodiscard]] Deadline deadline() const { return Deadline::after(setting_.timeout); }

  // The second barrier keeps the next refill out of the time: with more nodes than cores, a node that is done
  // would otherwise refill on the core that a slower one needs to see that it is done, too.
  double time_one_call() {
    for (std::size_t i = 0; i < buffer_.size(); ++i) {
      buffer_[i] = static_cast<float>(i % 1000) + static_cast<float>(wire_.rank());
    }
    barrier(wire_, deadline());
    const Clock::time_point start = Clock::now();
    runner_.run(memory_, deadline());
    const double seconds = seconds_since(start);
    barrier(wire_, deadline());
    return seconds;
  }

  Wire& wire_;
  const AllreduceCase& setting_;
  const AllreduceTimes& times_;
  Runner runner_;
  Window window_;
  std::vector<float> own_;
  std::span<std::byte> memory_;
  std::span<float> buffer_;
};

}  // namespace

AllreduceTimes::AllreduceTimes(std::int32_t nodes)
    : bytes_(2 * sizeof(std::uint64_t) + idx(nodes) * kMostCalls * sizeof(double)), nodes_(nodes) {
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
}

AllreduceTimes::~AllreduceTimes() { ::munmap(memory_, bytes_); }

std::uint64_t& AllreduceTimes::calls() const { return reinterpret_cast<std::uint64_t*>(memory_)[0]; }

std::uint64_t& AllreduceTimes::stop() const { return reinterpret_cast<std::uint64_t*>(memory_)[1]; }

double& AllreduceTimes::seconds(Rank node, std::size_t call) const {
  return reinterpret_cast<double*>(memory_ + 2 * sizeof(std::uint64_t))[idx(node) * kMostCalls + call];
}

std::vector<double> AllreduceTimes::slowest() const {
  std::vector<double> slowest(calls());
  for (std::size_t call = 0; call < slowest.size(); ++call) {
    for (Rank node = 0; node < nodes_; ++node) slowest[call] = std::max(slowest[call], seconds(node, call));
  }
  std::sort(slowest.begin(), slowest.end());
  return slowest;
}

double quantile(const std::vector<double>& sorted, double part) {
  const auto index = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

PlanSpec spec_of(const AllreduceCase& setting) {
  PlanSpec spec;
  spec.workers = setting.workers;
  spec.parameters = setting.bytes / static_cast<std::int64_t>(sizeof(float));
  spec.strategy = setting.strategy.value_or(
      choose_strategy(setting.wire, !setting.private_memory, spec.workers, setting.bytes).strategy);
  if (spec.strategy == Strategy::kParameterServer) {
    spec.servers = setting.servers;
    spec.shares_on_workers = setting.servers > 0 ? 0 : spec.workers;
  }
  return spec;
}

void time_allreduce(Wire& wire, const AllreduceCase& setting, const AllreduceTimes& times) {
  Bench bench(wire, setting, times);
  const std::size_t calls = calls_for(setting.bytes);
  bench.check();
  bench.repeat(std::max<std::size_t>(2, calls / 10), kWarmUpSeconds);
  bench.repeat(calls, kTimedSeconds);
}

}  // namespace trireme
