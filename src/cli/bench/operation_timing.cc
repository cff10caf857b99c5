#include "cli/bench/operation_timing.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "cli/bench/telling_values.h"
#include "exec/buffers.h"
#include "exec/runner.h"
#include "plan/holdings.h"
#include "plan/strategies/operations.h"
#include "plan/strategies/strategies.h"
#include "wire/notes.h"
#include "wire/point_to_point.h"
#include "wire/shm/windows.h"

namespace trireme::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWarmUpSeconds = 0.4;
constexpr double kTimedSeconds = 1.6;
constexpr std::size_t kBatch = 10;  // calls before node 0 checks whether there is time for more

std::size_t calls_for(std::int64_t bytes) {
  if (bytes < 64 << 10) return OperationTimes::kMostCalls;
  if (bytes < 4 << 20) return 200;
  return 20;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a node brings and what it gets, in elements.
struct Sizes {
  std::int64_t from = 0;
  std::int64_t into = 0;
};

// What is timed: a call that all nodes make together.
class Call {
 public:
  virtual ~Call() = default;
  // Makes sure that all nodes are about to make the same.
  virtual void prepare(const Deadline& deadline) = 0;
  virtual void refill(std::span<float> from) = 0;
  virtual void run(const exec::Buffers& buffers, const Deadline& deadline) = 0;
  [[nodiscard]] virtual bool is_right(std::span<const float> into) = 0;
  // The part of the time that is reported.
  [[nodiscard]] virtual double reported_part() const { return 1; }
};

class PlannedCall final : public Call {
 public:
  PlannedCall(wire::Wire& wire, plan::PlanSpec spec)
      : rank_(wire.rank()), first_(first_brought(spec, rank_)) {
    const Rank roots = spec.operation == plan::Operation::kBroadcast ? spec.workers : 1;
    for (spec.root = 0; spec.root < roots; ++spec.root)
      runners_.push_back(std::make_unique<exec::Runner>(spec, exec::ElementType::kFloat32, wire));
  }

  void prepare(const Deadline& deadline) override {
    for (const auto& runner : runners_) runner->prepare(deadline);
  }
  void refill(std::span<float> from) override { fill_in(from, first_, rank_); }
  void run(const exec::Buffers& buffers, const Deadline& deadline) override {
    for (const auto& runner : runners_) runner->run(buffers, deadline);
  }
  [[nodiscard]] bool is_right(std::span<const float> into) override {
    const plan::PlanSpec& spec = runners_.front()->spec();
    return spec.is_server(rank_) || has_got_its_part(spec, rank_, into);
  }
  [[nodiscard]] double reported_part() const override { return 1.0 / static_cast<double>(runners_.size()); }

 private:
  const Rank rank_;
  const std::int64_t first_;
  // One; for a broadcast one from each node in turn, because a root that has not had to receive anything
  // first could run ahead of the others.
  std::vector<std::unique_ptr<exec::Runner>> runners_;
};

class PingPong final : public Call {
 public:
  explicit PingPong(wire::Wire& wire) : wire_(wire), messages_(wire), peer_(wire.rank() ^ 1) {}

  void prepare(const Deadline& deadline) override { wire::barrier(wire_, deadline); }
  void refill(std::span<float> from) override { fill_in(from, 0, wire_.rank()); }
  void run(const exec::Buffers& buffers, const Deadline& deadline) override {
    if (is_alone()) return;
    if (peer_ > wire_.rank()) send(buffers.from, deadline);
    receive(buffers.into, deadline);
    if (peer_ < wire_.rank()) send(buffers.from, deadline);
  }
  [[nodiscard]] bool is_right(std::span<const float> into) override {
    return is_alone() || is_filled_in(into, 0, peer_);
  }
  [[nodiscard]] double reported_part() const override { return 0.5; }

 private:
  static constexpr int kTag = 0;

  [[nodiscard]] bool is_alone() const { return peer_ >= wire_.size(); }
  void send(std::span<const std::byte> from, const Deadline& deadline) {
    wire::Batch batch;
    messages_.post_send(batch, peer_, kTag, from);
    wire_.wait(batch, deadline);
  }
  void receive(std::span<std::byte> into, const Deadline& deadline) {
    wire::Batch batch;
    messages_.post_receive(batch, peer_, kTag, into);
    wire_.wait(batch, deadline);
  }

  wire::Wire& wire_;
  wire::PointToPoint messages_;
  const Rank peer_;
};

std::unique_ptr<Call> call_of(const OperationCase& setting, wire::Wire& wire) {
  if (setting.operation == kPingPong) return std::make_unique<PingPong>(wire);
  return std::make_unique<PlannedCall>(wire, spec_of(setting));
}

bool is_in_place(const OperationCase& setting) {
  return setting.operation != kPingPong && exec::is_in_place(*setting.operation);
}

Sizes sizes_of(const OperationCase& setting, Rank node) {
  const std::int64_t buffer = setting.bytes / static_cast<std::int64_t>(sizeof(float));
  if (setting.operation == kPingPong || is_in_place(setting)) return {buffer, buffer};
  const plan::Holdings holdings = plan::holdings(spec_of(setting), node);
  return {plan::total(holdings.before), plan::total(holdings.after)};
}

// Enough for every node.
Sizes largest_sizes(const OperationCase& setting) {
  Sizes largest;
  for (Rank node = 0; node < setting.nodes(); ++node) {
    const Sizes sizes = sizes_of(setting, node);
    largest = {std::max(largest.from, sizes.from), std::max(largest.into, sizes.into)};
  }
  return largest;
}

// Memory of one node for numbers: in a window, or its own.
class Memory {
 public:
  Memory(wire::Wire& wire, bool in_window, std::int64_t most, const Deadline& deadline) {
    if (in_window) {
      window_ = wire.windows()->make(wire, idx(most) * sizeof(float), deadline);
    } else {
      own_.resize(idx(most));
    }
  }
  [[nodiscard]] std::span<float> first(std::int64_t count) {
    float* data = own_.empty() ? reinterpret_cast<float*>(window_.bytes().data()) : own_.data();
    return {data, idx(count)};
  }

 private:
  wire::shm::Window window_;
  std::vector<float> own_;
};

// The work of one node.
class Bench {
 public:
  Bench(wire::Wire& wire, const OperationCase& setting)
      : wire_(wire), setting_(setting), call_(call_of(setting, wire)) {
    const bool in_window = !setting.private_memory && wire.windows() != nullptr;
    const Sizes own = sizes_of(setting, wire.rank());
    const Sizes most = largest_sizes(setting);
    memory_.emplace_back(wire, in_window, most.from, deadline());
    if (!is_in_place(setting)) memory_.emplace_back(wire, in_window, most.into, deadline());
    from_ = memory_.front().first(own.from);
    into_ = memory_.back().first(own.into);
    call_->prepare(deadline());
  }

  void check() {
    std::fill(into_.begin(), into_.end(), -1.0F);  // in no result
    time_one_call();
    if (call_->is_right(into_)) return;
    Failure failure;
    failure.cause = Failure::Cause::kMismatch;
    failure.rank = wire_.rank();
    failure.what = fmt::format("the result of {} is wrong", bench_name(setting_.operation));
    throw Error(failure);
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
    call_->refill(from_);
    wire::barrier(wire_, deadline());
    const Clock::time_point start = Clock::now();
    call_->run({std::as_bytes(from_), std::as_writable_bytes(into_)}, deadline());
    const double seconds = seconds_since(start);
    wire::barrier(wire_, deadline());
    return seconds * call_->reported_part();
  }

  wire::Wire& wire_;
  const OperationCase& setting_;
  std::unique_ptr<Call> call_;
  std::vector<Memory> memory_;  // what it brings, then what it gets; both in one if the call is in place
  std::span<float> from_;
  std::span<float> into_;
};

}  // namespace

OperationTimes::OperationTimes() {
  void* memory = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<Memory*>(memory);
}

OperationTimes::~OperationTimes() { ::munmap(memory_, sizeof(Memory)); }

std::vector<double> OperationTimes::slowest() const {
  const auto begin = memory_->seconds.begin();
  std::vector<double> sorted(begin, begin + static_cast<std::ptrdiff_t>(memory_->calls));
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void OperationTimes::put(std::span<const double> slowest) const {
  memory_->calls = std::min(slowest.size(), kMostCalls);
  std::copy_n(slowest.begin(), memory_->calls, memory_->seconds.begin());
}

double quantile(const std::vector<double>& sorted, double part) {
  const auto index = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

exec::Choice choice_for(const OperationCase& setting) {
  if (setting.operation == plan::Operation::kSum) {
    return exec::choose_strategy(setting.wire, !setting.private_memory, setting.workers, setting.bytes);
  }
  return exec::choose_strategy(setting.operation.value(), setting.has_windows, setting.workers,
                               setting.bytes);
}

plan::PlanSpec spec_of(const OperationCase& setting) {
  const plan::Operation operation = setting.operation.value();
  const plan::Strategy strategy = setting.strategy ? *setting.strategy : choice_for(setting).strategy;
  plan::require_strategy(operation, strategy);
  plan::PlanSpec spec = plan::spec_for(
      strategy, setting.workers, setting.bytes / static_cast<std::int64_t>(sizeof(float)), setting.servers);
  spec.operation = operation;
  return spec;
}

std::int64_t bytes_of_a_node(const OperationCase& setting) {
  const Sizes most = largest_sizes(setting);
  const std::int64_t elements = is_in_place(setting) ? most.from : most.from + most.into;
  return elements * static_cast<std::int64_t>(sizeof(float));
}

void time_operation(wire::Wire& wire, const OperationCase& setting, const OperationTimes& times) {
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
