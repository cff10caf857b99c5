// The loops of the update rules. rule.h has the formulas.
#pragma once

#include <cstddef>

#include "optim/rule_spec.h"

namespace trireme::optim {

/// The values that are the same for all elements of a step; rule.h says how each is rounded.
struct RuleScalars {
  float minus_rate = 0;
  float weight_decay = 0;
  float shrink = 1;  ///< 1 − rate·weight_decay
  float momentum = 0;
  float beta1 = 0;
  float one_minus_beta1 = 0;
  float beta2 = 0;
  float one_minus_beta2 = 0;
  float minus_step_size = 0;   ///< −rate/c1
  float root_correction2 = 1;  ///< √c2
  float epsilon = 0;
};

/// The elements of one call. The arrays do not overlap and need no alignment; moments that the rule does not
/// use may be null.
struct RuleRange {
  float* weights = nullptr;
  const float* gradients = nullptr;
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  std::size_t count = 0;
};

void update(RuleKind kind, const RuleScalars& scalars, const RuleRange& range);

}  // namespace trireme::optim
