// The weights that a schedule of gradients leads to.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "libtorch/module_shares.h"
#include "schedule/schedule.h"
#include "server/ledger.h"
#include "server/placement.h"
#include "server/rate.h"
#include "server/share_weights.h"

namespace trireme::trainer {

/// Does with the gradients of one module for each worker what servers did with those of a run, in the same
/// order: the same bits, if gradients have the same.
class ScheduleReplay {
 public:
  struct Spec {
    server::StalenessRate staleness_rate = server::StalenessRate::kWorkers;
    double clip_norm = 0;
    bool whole_tensors = false;
    RuleSpec rule{};
    std::vector<ParameterGroup> groups{};
    std::function<double(std::int64_t gradient)> rate_of{};  ///< before it is divided
  };
  /// Adds the gradient of a mini-batch to a worker's module. Returns its loss.
  using Compute = std::function<double(Rank worker, std::int64_t gradient)>;

  /// All hold the same weights; they and the schedule outlive it.
  ScheduleReplay(const schedule::Schedule& schedule, std::vector<torch::nn::Sequential>& modules,
                 const Spec& spec, Compute compute);
  ~ScheduleReplay();

  /// Applies the next gradient, or round of gradients, that can be. Returns whether there was one. Throws
  /// `Error` (bad input) where some are left and none can be applied.
  bool step();
  /// All modules get the weights as they are now.
  void give_weights();

  [[nodiscard]] const server::Placement& placement() const { return placement_; }
  /// Gradients that were applied to the first share, and all that it will have.
  [[nodiscard]] std::int64_t applied() const { return applied_; }
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }
  [[nodiscard]] const server::Staleness& staleness() const { return staleness_; }
  /// The mean loss of the last few mini-batches, and the largest norm of a gradient.
  [[nodiscard]] double loss() const;
  [[nodiscard]] double largest_norm() const { return largest_norm_; }

 private:
  struct Worker;
  struct Share;
  struct Gradient;

  bool step(Share& share);
  [[nodiscard]] bool can_compute(std::int64_t gradient) const;
  const Gradient& gradient_of(const schedule::Write& write);
  void compute(Rank worker, std::int64_t gradient);
  void forget(std::int64_t gradient);
  void apply(Share& share, std::size_t end);

  const schedule::Schedule& schedule_;
  const Spec spec_;
  const Compute compute_;
  std::vector<std::unique_ptr<Worker>> workers_;
  rounds::ParameterGroups groups_;
  server::Placement placement_;
  std::vector<std::unique_ptr<Share>> shares_;
  std::map<std::int64_t, Gradient> gradients_;  // that are computed, and still to be applied
  std::int64_t applied_ = 0;
  std::int64_t dropped_ = 0;
  server::Staleness staleness_;
  std::deque<double> losses_;
  double largest_norm_ = 0;
};

}  // namespace trireme::trainer
