// Updates the weights of a module by a rule, on the nodes that have the averages of their gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "libtorch/gradients.h"
#include "libtorch/module_tensors.h"
#include "optim/rule_spec.h"
#include "rounds/bucket_runners.h"
#include "rounds/parameter_flags.h"
#include "rounds/weight_update.h"

namespace trireme::libtorch {

class ModuleUpdate {
 public:
  /// Both outlive it, and may get more buckets.
  ModuleUpdate(const Gradients& gradients, rounds::BucketRunners& runners);

  /// Rules update float32: throws `Error` when trained weights have another type.
  void require_float32() const;
  /// *Together*, after the gradients have been exchanged: each node updates the weights for which it has
  /// averages, which are multiplied by `factor` first. If these are a share, all get the weights of the other
  /// shares. A parameter that has no gradient is not touched.
  void step(const RuleSpec& rule, float factor, const rounds::ParameterFlags& has_gradient);
  /// The time that all updates have taken, without handing out.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  struct OfBucket {
    std::vector<PlainTensor> weights;  // by place in the bucket
    std::vector<bool> has_gradient;    // likewise, in the step at hand
    rounds::WeightUpdate update;
  };

  void add_buckets();

  const Gradients& gradients_;
  rounds::BucketRunners& runners_;
  std::vector<OfBucket> buckets_;  // since the last step
  double seconds_ = 0;
};

}  // namespace trireme::libtorch
