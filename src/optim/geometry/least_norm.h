// The solutions of linear equations, and which of them has the least norm: solved, not descended to.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "optim/geometry/linear_system.h"
#include "optim/geometry/vector_norm.h"

namespace trireme::optim {

struct Solutions {
  bool exist = false;         ///< otherwise these are the least-squares solutions, where the loss is least
  bool are_many = false;      ///< more than one
  std::vector<double> least;  ///< the one of least L2 norm
};

[[nodiscard]] Solutions solve(const LinearSystem& system);

/// The solution, or least-squares solution, for which √Σ (s_i·θ_i)² is least, for scales s_i above 0.
[[nodiscard]] std::vector<double> least_rescaled(const LinearSystem& system, std::span<const double> scales);

/// The solution of one equation that is least in this norm: (b/‖a‖*)·(the dual direction of a).
[[nodiscard]] std::vector<double> least_of_one(const Equation& equation, const VectorNorm& norm);

/// The root of the second moment of each column of coefficients: √(the mean of a_i² over the equations); 1
/// where this is 0.
[[nodiscard]] std::vector<double> feature_scales(const LinearSystem& system);

/// The largest eigenvalue of the mean of a·aᵀ, where column i is first divided by s_i: half the largest
/// curvature of the loss.
[[nodiscard]] double largest_eigenvalue(const LinearSystem& system, std::span<const double> scales);

}  // namespace trireme::optim
