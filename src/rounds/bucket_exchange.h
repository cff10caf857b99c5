// The gradients of one round, bucket by bucket: exchanged among all, or given to the holders of shares, which
// hand out the weights afterwards.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
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
class BucketExchange {
 public:
  /// Without buckets at first.
  BucketExchange(wire::Wire& wire, std::chrono::nanoseconds timeout);

  /// *Together*, between rounds: more buckets, which are exchanged after those that there are.
  void add(const std::vector<BucketPlan>& buckets);

  /// From the next round on.
  void drive(Drive drive);

  /// A round begins. `agree` is called once, *together*, before the first bucket is exchanged, and says by
  /// what the sums are divided; see RoundDriver.
  void begin(std::function<std::int64_t()> agree);
  /// Bucket i is complete; it is not touched until the round is finished.
  void ready(std::size_t i) { driver_->ready(i); }
  /// *Together.* Everything is ready. Afterwards the buckets hold averages: on whoever has them by the plan.
  void finish() { driver_->finish(); }
  /// Gives the round at hand up; there is no other.
  void stop() noexcept { driver_->stop(); }
  /// *Together*, with parameter-server alone: every worker gets what the holders have in their shares.
  void hand_out();

  /// The slice of a bucket that this node has the average of after `finish`, and updates.
  [[nodiscard]] plan::Slice own_slice(std::size_t i) const;
  [[nodiscard]] bool has_holders() const;
  [[nodiscard]] const std::vector<BucketPlan>& buckets() const { return buckets_; }

  /// In all rounds so far: what the wire counted, and what one round is by the plan.
  [[nodiscard]] wire::Counters counted() const;
  [[nodiscard]] wire::Counters per_round() const;

 private:
  wire::Wire& wire_;
  std::vector<BucketPlan> buckets_;
  const std::chrono::nanoseconds timeout_;
  std::vector<std::unique_ptr<exec::Runner>> runners_;      // by bucket
  std::vector<std::unique_ptr<exec::Runner>> handing_out_;  // likewise, if there are holders
  std::vector<RoundDriver::Item> items_;
  std::unique_ptr<RoundDriver> driver_;
};

}  // namespace trireme::rounds
