// The weights of a module and their update by a rule, where the averages of their gradients lie.
#pragma once

#include <cstdint>
#include <vector>

#include "optim/rule_spec.h"
#include "server/bucket_exchange.h"
#include "server/parameter_flags.h"
#include "server/weight_update.h"
#include "train/gradients.h"
#include "train/module_tensors.h"

namespace trireme {

class ModuleUpdate {
 public:
  /// Without weights at first.
  ModuleUpdate(const Gradients& gradients, const BucketExchange& exchange);

  /// The weights of buckets that have been added since.
  void add_buckets();
  /// Rules update float32: throws `Error` when weights that are trained are not of it.
  void require_float32() const;
  /// *Together*, after the gradients have been exchanged: each node updates the weights that it has the
  /// averages for, times `factor`; where that is a share, all get the others' weights. A parameter that has
  /// no gradient is not touched.
  void step(const RuleSpec& rule, float factor, const ParameterFlags& has_gradient, BucketExchange& exchange);
  /// What all updates have taken, without handing out.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  struct OfBucket {
    std::vector<PlainTensor> weights;  // by place
    std::vector<bool> has_gradient;    // likewise, in the step at hand
    WeightUpdate update;
  };

  const Gradients& gradients_;
  const BucketExchange& exchange_;
  std::vector<OfBucket> buckets_;
  bool all_float32_ = true;
  double seconds_ = 0;
};

}  // namespace trireme
