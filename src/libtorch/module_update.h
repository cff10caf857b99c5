// Updates the weights of a module by a rule, on the nodes that have the averages of their gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checkpoint/rule_state.h"
#include "libtorch/gradients.h"
#include "libtorch/module_tensors.h"
#include "libtorch/rule_state_owner.h"
#include "libtorch/saved_rule_state.h"
#include "optim/rule_spec.h"
#include "rounds/bucket_runners.h"
#include "rounds/parameter_flags.h"
#include "rounds/parameter_groups.h"
#include "rounds/update/share_sum.h"
#include "rounds/update/weight_update.h"

namespace trireme::libtorch {

class ModuleUpdate final : public RuleStateOwner {
 public:
  /// All outlive it; there may be more buckets later.
  ModuleUpdate(const Gradients& gradients, rounds::BucketRunners& runners, rounds::ShareSum& sum,
               const std::vector<ParameterGroup>& groups);

  /// Throws `Error` when trained weights are not float32, which rules update. With `may_cut`, shares may cut
  /// tensors: then it also throws when a parameter's rule needs the whole of it.
  void require_updatable(const RuleSpec& rule, bool may_cut) const;
  /// *Together*, after the gradients have been exchanged: each node updates the weights for which it has
  /// averages, which are multiplied by `factor` first. If these are a share, all get the weights of the other
  /// shares. A parameter that has no gradient is not touched.
  void step(const RuleSpec& rule, float factor, const rounds::ParameterFlags& has_gradient);
  [[nodiscard]] std::vector<checkpoint::RuleStatePart> state(bool of_unplaced) override;
  void start_from(std::shared_ptr<const checkpoint::RuleStateReader> saved) override;
  [[nodiscard]] bool is_shared_out() const override { return runners_.has_holders(); }

  /// The time that all updates have taken, without handing out.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  struct OfBucket {
    std::vector<PlainTensor> weights;  // by place in the bucket
    rounds::PieceSteps steps;          // likewise, for the step at hand
    rounds::WeightUpdate update;
  };

  void require_float32() const;
  void add_buckets();
  void begin_step(const RuleSpec& rule, const rounds::ParameterFlags& has_gradient);
  void measure_model(float factor);
  void start(std::size_t bucket);

  const Gradients& gradients_;
  rounds::BucketRunners& runners_;
  rounds::ShareSum& sum_;
  const rounds::ParameterGroups groups_;
  std::vector<OfBucket> buckets_;  // since the last step
  SavedRuleState saved_;
  double seconds_ = 0;
};

}  // namespace trireme::libtorch
