// Times all-reduce on a wire, as one node of a group that runs it together.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "wire/wire.h"

namespace trireme::cli {

struct AllreduceCase {
  wire::WireKind wire = wire::WireKind::kShm;
  std::optional<plan::Strategy> strategy;  ///< empty: auto
  std::int64_t bytes = 0;                  ///< size of the float32 buffer
  std::int32_t workers = 1;
  std::int32_t servers = 0;     ///< for parameter-server; 0: a share on each worker
  bool private_memory = false;  ///< not in a window, even if the wire has windows
  std::chrono::nanoseconds timeout{};
  bool quiet = false;  ///< the nodes' output is not shown; if they fail, its last line gives the reason

  [[nodiscard]] std::int32_t nodes() const { return workers + servers; }
};

/// Memory that node 0 of a measurement writes and the reporting process reads. Made before the nodes start;
/// shared with them even if they are processes.
class AllreduceTimes {
 public:
  static constexpr std::size_t kMostCalls = 2000;

  AllreduceTimes();
  ~AllreduceTimes();
  AllreduceTimes(const AllreduceTimes&) = delete;
  AllreduceTimes& operator=(const AllreduceTimes&) = delete;

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

/// One node's part: checks the sum once, warms up, then times the calls, with a refill and then a barrier
/// before each. Node 0 gets all times at the end. All nodes call it together, each with its own wire. Throws
/// `Error`.
void time_allreduce(wire::Wire& wire, const AllreduceCase& setting, const AllreduceTimes& times);

/// The plan that this case runs.
[[nodiscard]] plan::PlanSpec spec_of(const AllreduceCase& setting);

}  // namespace trireme::cli
