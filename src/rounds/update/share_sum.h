// Numbers of which every node knows a part, told to all nodes: a planned sum of float64 over all nodes, to
// which everybody brings zeros for what it does not know. So adding rounds nothing, in whatever order.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/runner.h"
#include "plan/plan.h"
#include "wire/wire.h"

namespace trireme::rounds {

/// The plan of such a sum, by the strategy that is fastest for so few numbers.
[[nodiscard]] plan::PlanSpec share_sum_plan(wire::WireKind wire, Rank nodes, std::int64_t numbers);

/// Not thread-safe.
class ShareSum {
 public:
  ShareSum(wire::Wire& wire, std::chrono::nanoseconds timeout) : wire_(wire), timeout_(timeout) {}

  /// *Together*, servers too. A number that no node knows becomes 0, and −0 becomes 0.
  void run(std::span<double> numbers);

  /// The messages of all sums so far, as the wire counted them and as their plans say.
  [[nodiscard]] const wire::Counters& counted() const { return counted_; }
  [[nodiscard]] const wire::Counters& planned() const { return planned_; }

 private:
  wire::Wire& wire_;
  const std::chrono::nanoseconds timeout_;
  std::vector<std::unique_ptr<exec::Runner>> runners_;  // one for each number of numbers
  wire::Counters counted_;
  wire::Counters planned_;
};

}  // namespace trireme::rounds
