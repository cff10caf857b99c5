// Norms of whole models: each tensor is measured, the measures are put together, and each tensor is updated
// by what comes of that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optim/rule_spec.h"

namespace trireme::optim {

/// What a tensor adds to the dual norm of the whole model's gradients, or what comes of that for the tensor.
struct Measure {
  double value = 0;
  std::int64_t index = -1;  ///< steepest:l1: of the first greatest element; −1: it is in another tensor
};

/// From the measures of all tensors of one rule with the norm of the whole model, in the order of the
/// parameters, to what each tensor gets.
[[nodiscard]] std::vector<Measure> measures_of_model(const RuleSpec& spec, std::span<const Measure> measures);

}  // namespace trireme::optim
