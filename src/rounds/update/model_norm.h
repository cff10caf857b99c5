// Norms of the whole model, for rules that look at all of it before they move a weight.
#pragma once

#include <span>

#include "optim/measure.h"
#include "optim/rule_spec.h"
#include "rounds/update/share_sum.h"

namespace trireme::rounds {

/// A tensor whose rule has a norm of the whole model, with what it was measured to add; after
/// `complete_measures` with what it gets.
struct MeasuredTensor {
  RuleSpec rule{};
  optim::Measure measure{};
};

/// How many numbers holders of shares tell about each tensor.
inline constexpr std::int64_t kNumbersOfMeasure = 2;

/// For tensors in the order of the parameters. Those whose rules differ at most in rate and weight decay have
/// one norm. With a `sum`, *together*, servers too: each tensor was measured by one node, and elsewhere its
/// measure is the default.
void complete_measures(std::span<MeasuredTensor> tensors, ShareSum* sum);

}  // namespace trireme::rounds
