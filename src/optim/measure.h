// Steepest descent under a norm: the update of least gᵀΔ + (1/α)·‖Δ‖² is −(α/2)·‖d‖*·v, with the dual norm
// ‖·‖* of d and a direction v of norm 1 for which dᵀv = ‖d‖*. d is the gradient with weight decay.
//
//   norm of the update   ‖d‖*                      v
//   linf                 Σ|dᵢ|                     the signs of d; 0 where d is 0
//   l1                   max |dᵢ|                  the sign of the first greatest dᵢ, and 0 elsewhere
//   lp, 1/p + 1/q = 1    (Σ|dᵢ|^q)^(1/q)           sign(dᵢ)·(|dᵢ| / ‖d‖*)^(q−1)
//   spectral             Σ of the singular values  U·Vᵀ of d = U·S·Vᵀ (see orthogonal.h)
//
// With one norm for the whole model, each tensor is measured, the measures are put together, and each tensor
// is updated by what comes of that. The model of the spectral norm is a block-diagonal matrix, with a vector
// as a block of one column: its norm is the greatest of the tensors' norms, the dual norm their sum.
//
// Sums are those of block_sum.h, in double; what is raised to a power is at most 1, so nothing overflows. A
// gradient of zeros gives no update. With NaN or infinity in a gradient the measure is not finite, and at
// least one weight becomes NaN or infinite, so that it is seen; NaN counts as greater than any number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optim/reach.h"
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

/// Turns d into v, in place, and measures it. Under steepest:l1 only the element of the measure becomes that
/// of v. For the steepest kinds but steepest:l2.
[[nodiscard]] Measure into_direction(const RuleSpec& spec, const TensorShape& shape, std::span<float> d);

/// By what v of a tensor is multiplied: −(α/2)·‖d‖* of the tensor alone, or of the model of which it is a
/// part. Under lp v has norm 1 by itself, and in the model its share.
[[nodiscard]] float direction_factor(const RuleSpec& spec, double alpha, const Measure& own,
                                     const Measure& of_model);

}  // namespace trireme::optim
