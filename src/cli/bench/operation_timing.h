// Times an operation on a wire, as one node of those that run it together.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/bench/timed_operation.h"
#include "exec/auto_strategy.h"
#include "plan/plan.h"
#include "wire/wire.h"

namespace trireme::cli {

struct OperationCase {
  TimedOperation operation = plan::Operation::kSum;
  wire::WireKind wire = wire::WireKind::kShm;
  std::optional<plan::Strategy> strategy;  ///< empty: auto
  /// Size of the float32 buffer: of all chunks together, if workers bring or get chunks; of what one worker
  /// brings to an all-to-all; of a message of a ping-pong.
  std::int64_t bytes = 0;
  std::int32_t workers = 1;
  std::int32_t servers = 0;     ///< for parameter-server; 0: a share on each worker
  bool has_windows = true;      ///< the wire
  bool private_memory = false;  ///< not in a window, even if the wire has windows
  std::chrono::nanoseconds timeout{};
  bool quiet = false;  ///< the nodes' output is not shown; if they fail, its last line gives the reason

  [[nodiscard]] std::int32_t nodes() const { return workers + servers; }
};

/// Memory that node 0 of a measurement writes and the reporting process reads. Made before the nodes start;
/// shared with them even if they are processes.
class OperationTimes {
 public:
  static constexpr std::size_t kMostCalls = 2000;

  OperationTimes();
  ~OperationTimes();
  OperationTimes(const OperationTimes&) = delete;
  OperationTimes& operator=(const OperationTimes&) = delete;

  /// The seconds of the slowest node, one value for each call, ascending.
  [[nodiscard]] std::vector<double> slowest() const;
  void put(std::span<const double> slowest) const;

 private:
  struct Memory {
    std::size_t calls;
    std::array<double, kMostCalls> seconds;
  };

  Memory* memory_;
};

/// The value below which the given fraction of the sorted values lies: 0.5 is the upper median.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double part);

/// One node's part: checks the result once, warms up, then times the calls, with a refill and then a barrier
/// before each; half of each round trip of a ping-pong. Node 0 gets all times at the end. All nodes call it
/// together, each with its own wire. Throws `Error`.
void time_operation(wire::Wire& wire, const OperationCase& setting, const OperationTimes& times);

/// The strategy that `auto` takes for this case, which is no ping-pong.
[[nodiscard]] exec::Choice choice_for(const OperationCase& setting);

/// The plan that this case runs, which is no ping-pong.
[[nodiscard]] plan::PlanSpec spec_of(const OperationCase& setting);

/// What each node needs for the case. Throws `Error` if the operation has no such strategy.
[[nodiscard]] std::int64_t bytes_of_a_node(const OperationCase& setting);

}  // namespace trireme::cli
