// The weights of a module and their update by a rule, where the averages of their gradients lie.
#pragma once

#include <cstdint>
#include <vector>

#include "libtorch/gradients.h"
#include "libtorch/module_tensors.h"
#include "optim/rule_spec.h"
#include "rounds/bucket_exchange.h"
#include "rounds/parameter_flags.h"
#include "rounds/weight_update.h"

namespace trireme::libtorch {

class ModuleUpdate {
 public:
  /// Without weights at first.
  ModuleUpdate(const Gradients& gradients, const rounds::BucketExchange& exchange);

  /// The weights of buckets that have been added since.
  void add_buckets();
  /// Rules update float32: throws `Error` when weights that are trained are not of it.
  void require_float32() const;
  /// *Together*, after the gradients have been exchanged: each node updates the weights that it has the
  /// averages for, times `factor`; where that is a share, all get the others' weights. A parameter that has
  /// no gradient is not touched.
  void step(const RuleSpec& rule, float factor, const rounds::ParameterFlags& has_gradient,
            rounds::BucketExchange& exchange);
  /// What all updates have taken, without handing out.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  struct OfBucket {
    std::vector<PlainTensor> weights;  // by place
    std::vector<bool> has_gradient;    // likewise, in the step at hand
    rounds::WeightUpdate update;
  };

  const Gradients& gradients_;
  const rounds::BucketExchange& exchange_;
  std::vector<OfBucket> buckets_;
  bool all_float32_ = true;
  double seconds_ = 0;
};

}  // namespace trireme::libtorch
