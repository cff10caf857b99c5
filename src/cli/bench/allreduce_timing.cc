#include "cli/bench/allreduce_timing.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include "exec/auto_strategy.h"
#include "exec/runner.h"
#include "wire/notes.h"
#include "wire/shm/windows.h"

namespace trireme::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpSeconds = 0.4;
constexpr double kTimedSeconds = 1.6;
constexpr std::size_t kBatch = 10;  // calls before node 0 checks whether there is time for more

std::size_t calls_for(std::int64_t bytes) {
  if (bytes < 64 << 10) return AllreduceTimes::kMostCalls;
  if (bytes < 4 << 20) return 200;
  return 20;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Refills in vectors, as the programs in bench/peers do: with a slower loop, less of the buffer would be in
// the cache afterwards.
void refill(std::span<float> buffer, Rank rank) {
  for (std::uint32_t i = 0; i < buffer.size(); ++i) {
    buffer[i] = static_cast<float>(i % 1000) + static_cast<float>(rank);
  }
}

// The work of one node.
class Bench {
 public:
  Bench(wire::Wire& wire, const AllreduceCase& setting)
      : wire_(wire), setting_(setting), runner_(spec_of(setting), exec::ElementType::kFloat32, wire) {
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

  // The times of this node. Node 0 decides from time to time whether there is time for more.
  std::vector<double> repeat(std::size_t calls, double limit_seconds) {
    std::vector<double> seconds;
    seconds.reserve(calls);
    wire::barrier(wire_, deadline());
    const Clock::time_point start = Clock::now();
    while (seconds.size() < calls) {
      for (std::size_t i = 0; i < kBatch && seconds.size() < calls; ++i) seconds.push_back(time_one_call());
      const char late = seconds_since(start) >= limit_seconds ? 1 : 0;
      if (share(std::span(&late, 1))[0] != 0) break;
    }
    return seconds;
  }

  // Collects the values of all nodes, which have the same length, one after the other.
  template <typename T>
  [[nodiscard]] std::vector<T> share(std::span<const T> own) {
    const std::vector<std::byte> notes = wire::share_notes(wire_, std::as_bytes(own), "timing", deadline());
    std::vector<T> all(own.size() * idx(wire_.size()));
    std::memcpy(all.data(), notes.data(), notes.size());
    return all;
  }

 private:
  [[nodiscard]] Deadline deadline() const { return Deadline::after(setting_.timeout); }

  // The second barrier keeps the next refill out of the measured time: with more nodes than cores, a node
  // that is done would otherwise refill on the core that a slower node needs to notice that it is done, too.
  double time_one_call() {
    refill(buffer_, wire_.rank());
    wire::barrier(wire_, deadline());
    const Clock::time_point start = Clock::now();
    runner_.run(memory_, deadline());
    const double seconds = seconds_since(start);
    wire::barrier(wire_, deadline());
    return seconds;
  }

  wire::Wire& wire_;
  const AllreduceCase& setting_;
  exec::Runner runner_;
  wire::shm::Window window_;
  std::vector<float> own_;
  std::span<std::byte> memory_;
  std::span<float> buffer_;
};

}  // namespace

AllreduceTimes::AllreduceTimes() {
  void* memory = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<Memory*>(memory);
}

AllreduceTimes::~AllreduceTimes() { ::munmap(memory_, sizeof(Memory)); }

std::vector<double> AllreduceTimes::slowest() const {
  const auto begin = memory_->seconds.begin();
  std::vector<double> sorted(begin, begin + static_cast<std::ptrdiff_t>(memory_->calls));
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void AllreduceTimes::put(std::span<const double> slowest) const {
  memory_->calls = std::min(slowest.size(), kMostCalls);
  std::copy_n(slowest.begin(), memory_->calls, memory_->seconds.begin());
}

double quantile(const std::vector<double>& sorted, double part) {
  const auto index = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

plan::PlanSpec spec_of(const AllreduceCase& setting) {
  const plan::Strategy strategy = setting.strategy.value_or(
      exec::choose_strategy(setting.wire, !setting.private_memory, setting.workers, setting.bytes).strategy);
  return plan::spec_for(strategy, setting.workers, setting.bytes / static_cast<std::int64_t>(sizeof(float)),
                        setting.servers);
}

void time_allreduce(wire::Wire& wire, const AllreduceCase& setting, const AllreduceTimes& times) {
  Bench bench(wire, setting);
  const std::size_t calls = calls_for(setting.bytes);
  bench.check();
  static_cast<void>(bench.repeat(std::max<std::size_t>(2, calls / 10), kWarmUpSeconds));
  const std::vector<double> own = bench.repeat(calls, kTimedSeconds);
  const std::vector<double> all = bench.share(std::span(own));
  if (wire.rank() != 0) return;
  std::vector<double> slowest(own.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    slowest[i % own.size()] = std::max(slowest[i % own.size()], all[i]);
  }
  times.put(slowest);
}

}  // namespace trireme::cli
