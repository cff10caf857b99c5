// The exchanges of all buckets, each prepared once. Gradients are exchanged among all workers, or they go to
// the holders of shares, which hand out the weights afterwards.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/runner.h"
#include "plan/plan.h"
#include "rounds/round_driver.h"
#include "wire/wire.h"

namespace trireme::rounds {

struct BucketPlan {
  plan::PlanSpec spec{};
  exec::ElementType type = exec::ElementType::kFloat32;
  std::span<std::byte> bytes{};
};

/// Not thread-safe. Calls marked *together* are made by all nodes.
class BucketRunners {
 public:
  /// Has no buckets at first.
  BucketRunners(wire::Wire& wire, std::chrono::nanoseconds timeout);

  /// *Together*, between rounds: adds buckets, which are exchanged after those that are there.
  void add(const std::vector<BucketPlan>& buckets);

  /// The exchanges of the next round, for a RoundDriver. They divide the sums by `divisor`, which is the same
  /// on all nodes. Afterwards the buckets hold averages: on all workers, or on the holders of shares.
  [[nodiscard]] std::span<const RoundDriver::Item> divide_by(std::int64_t divisor);
  /// *Together*, with parameter-server alone: every worker gets the weights that the holders have in their
  /// shares.
  void hand_out();

  /// The slice of a bucket that this node has the average of after a round, and updates.
  [[nodiscard]] plan::Slice own_slice(std::size_t i) const;
  [[nodiscard]] bool has_holders() const;
  [[nodiscard]] const std::vector<BucketPlan>& buckets() const { return buckets_; }

  /// The messages of all rounds so far, as the wire counted them.
  [[nodiscard]] wire::Counters counted() const;
  /// The messages of one round by the plan.
  [[nodiscard]] wire::Counters per_round() const;

 private:
  wire::Wire& wire_;
  std::vector<BucketPlan> buckets_;
  const std::chrono::nanoseconds timeout_;
  std::vector<std::unique_ptr<exec::Runner>> runners_;      // by bucket
  std::vector<std::unique_ptr<exec::Runner>> handing_out_;  // likewise, if there are holders
  std::vector<RoundDriver::Item> items_;
};

}  // namespace trireme::rounds
