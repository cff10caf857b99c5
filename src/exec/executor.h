// The ways to run a program. They differ by what the wire can do, not by what they compute or count.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "base/deadline.h"
#include "exec/buffers.h"
#include "exec/task.h"
#include "plan/trace.h"
#include "wire/transfer.h"

namespace trireme::exec {

/// Time since an exchange began. Reading a clock takes a tenth of a small exchange, so it only runs if
/// somebody wants to know.
class Stopwatch {
 public:
  void turn_on() { on_ = true; }
  void restart() {
    if (on_) start_ = Deadline::Clock::now();
  }
  /// 0 if it is off.
  [[nodiscard]] std::int64_t picoseconds() const {
    if (!on_) return 0;
    const auto since = Deadline::Clock::now() - start_;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count() * 1000;
  }

 private:
  bool on_ = false;
  Deadline::Clock::time_point start_;
};

/// One way to run a task. Prepared once, begun for every exchange; allocates and locks nothing afterwards.
/// A failure leaves it as an `Error` with peer and op id.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Gets ready to advance with this memory. Its trace begins now.
  virtual void begin(const Buffers& buffers) = 0;
  /// Goes as far as it can without waiting. Returns true when the exchange is complete.
  virtual bool advance() = 0;
  /// The same for a caller that has just moved the messages of the wire.
  virtual bool look() { return advance(); }
  /// Goes on to the end.
  virtual void finish(const Deadline& deadline) = 0;
  /// A message that it waits for; the peer is its rank in the job.
  [[nodiscard]] virtual wire::Transfer lacks() const = 0;
  /// See `Runner::leave_in_place`.
  virtual void leave_in_place() {}
  /// Where the buffer is that this node began with at `own`.
  [[nodiscard]] virtual std::byte* place(std::byte* own) const { return own; }
  /// See `Runner::require_place`.
  virtual void require_place() const {}
  /// The step that it is in, from 0.
  [[nodiscard]] virtual std::int32_t step() const = 0;
  /// From now on the trace has times.
  void record_times() { watch_.turn_on(); }
  /// The trace of the last exchange.
  [[nodiscard]] virtual const plan::Trace& trace() const = 0;

 protected:
  Stopwatch watch_;  // restarted by whoever begins
};

/// Memory for numbers of any type.
class Room {
 public:
  explicit Room(std::size_t bytes) : memory_(static_cast<std::byte*>(::operator new[](bytes, kAlignment))) {}
  [[nodiscard]] std::byte* data() const { return memory_.get(); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Deleter {
    void operator()(std::byte* room) const { ::operator delete[](room, kAlignment); }
  };
  std::unique_ptr<std::byte[], Deleter> memory_;
};

/// One event per op, at first without times.
[[nodiscard]] plan::Trace empty_trace(const plan::Program& program);

/// The divisor of the sum that this op makes: an average is divided when its sum is complete.
[[nodiscard]] std::int64_t divisor_of(const Task& task, const plan::Op& op);

/// Calls `body(piece, first_source)` for each part of `slice` that is added up in one order, beginning with
/// that source of the fold.
template <typename Body>
void for_each_order(const Task& task, const plan::Op& fold, const plan::Slice& slice, Body body) {
  if (!fold.by_chunk) return body(slice, std::int64_t{0});
  for (plan::Slice rest = slice; !rest.empty();) {
    const std::int64_t k = plan::chunk_of(rest.first, task.spec.parameters, task.spec.workers);
    const std::int64_t end =
        std::min(plan::chunk(k, task.spec.parameters, task.spec.workers).end(), rest.end());
    body(plan::Slice{rest.first, end - rest.first}, k);
    rest = {end, rest.end() - end};
  }
}

}  // namespace trireme::exec
