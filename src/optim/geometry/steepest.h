// The steepest update under a norm: the Δθ for which gᵀΔθ + (1/α)·‖Δθ‖² is least.
//
//   L2   −(α/2)·g
//   L∞   −(α/2)·‖g‖₁·sign(g)
//   L1   −(α/2)·‖g‖∞·sign(g_i)·e_i at the first i with the largest |g_i|
//   Lp   −(α/2)·‖g‖_q·v with v_i = sign(g_i)·|g_i|^(q−1)/‖g‖_q^(q−1) and 1/p + 1/q = 1
//
// In one line: −(α/2)·‖g‖*·(the dual direction of g), and there the least value is −(α/4)·‖g‖*². These are
// the formulas in double, as a reference; `optim/rule.h` has the rules of trainings.
#pragma once

#include <span>
#include <vector>

#include "optim/geometry/vector_norm.h"

namespace trireme::optim {

struct SteepestUpdate {
  std::vector<double> update;
  double dual_norm = 0;
  double objective = 0;  ///< gᵀΔθ + (1/α)·‖Δθ‖² of the update
};

/// Throws `Error` (bad input) unless `alpha` is above 0 and finite.
[[nodiscard]] SteepestUpdate steepest_update(const VectorNorm& norm, std::span<const double> gradient,
                                             double alpha);

}  // namespace trireme::optim
