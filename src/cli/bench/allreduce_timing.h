// Times all-reduce on a wire, as one node of a group that does it together.
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
  std::optional<plan::Strategy> strategy;  ///< nothing: auto
  std::int64_t bytes = 0;                  ///< of float32
  std::int32_t workers = 1;
  std::int32_t servers = 0;     ///< of parameter-server; 0: a share on each worker
  bool private_memory = false;  ///< not in a window, where the wire has them
  std::chrono::nanoseconds timeout{};
  bool quiet = false;  ///< what the nodes print is not shown; where they fail, its last line says why

  [[nodiscard]] std::int32_t nodes() const { return workers + servers; }
};

/// What node 0 of a measurement writes and the one who reports reads. Made before the nodes start; visible to
/// them also as processes.
class AllreduceTimes {
 public:
  static constexpr std::size_t kMostCalls = 2000;

  AllreduceTimes();
  ~AllreduceTimes();
  AllreduceTimes(const AllreduceTimes&) = delete;
  AllreduceTimes& operator=(const AllreduceTimes&) = delete;

  /// Seconds of the slowest node, one for each call, ascending.
  [[nodiscard]] std::vector<double> slowest() const;
  void put(std::span<const double> slowest) const;

 private:
  struct Memory {
    std::size_t calls;
    std::array<double, kMostCalls> seconds;
  };

  Memory* memory_;
};

/// The value below which the given part of the sorted values lies: 0.5 is the upper median.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double part);

/// One node's part: checks the sum once, warms up, then times the calls; a barrier before each, the buffer
/// refilled before that. Node 0 gets all times at the end. All nodes call it together, each with its own
/// wire. Throws `Error`.
void time_allreduce(wire::Wire& wire, const AllreduceCase& setting, const AllreduceTimes& times);

/// The plan that such a case runs.
[[nodiscard]] plan::PlanSpec spec_of(const AllreduceCase& setting);

}  // namespace trireme::cli
