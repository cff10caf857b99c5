// The weights of a module and their update by a rule, where the averages of their gradients lie.
#pragma once

#include <cstdint>
#include <vector>

#include "optim/rule_spec.h"
#include "server/bucket_exchange.h"
#include "server/weight_update.h"
#include "train/gradients.h"
#include "train/module_tensors.h"

namespace trireme {

class ModuleUpdate {
 public:
  ModuleUpdate(const Gradients& gradients, const BucketExchange& exchange);

  /// Rules update float32: whether all weights that are trained are of it.
  [[nodiscard]] bool possible() const { return possible_; }
  /// *Together*, after the gradients have been exchanged: each node updates the weights that it has the
  /// averages for, times `factor`; where that is a share, all get the others' weights.
  void step(const RuleSpec& rule, float factor, BucketExchange& exchange);
  /// What all updates have taken, without handing out.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  const std::vector<Gradients::Bucket>& buckets_;
  bool possible_;
  std::vector<PlainTensor> weights_;   // of the parameters that require a gradient
  std::vector<WeightUpdate> updates_;  // by bucket
  std::int64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace trireme
