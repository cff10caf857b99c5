// Takes a rule through linear equations from θ = 0 until it is where the loss is least.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optim/geometry/descent_rule.h"
#include "optim/geometry/least_norm.h"

namespace trireme::optim {

struct PathPoint {
  std::int64_t step = 0;
  double residual = 0;  ///< root mean square of b − aᵀθ
  std::vector<double> theta;
};

struct Descent {
  DescentRule rule;
  /// That it began with; empty for epoch-adam if it searched the line for the least loss in each step.
  std::optional<double> rate;
  bool has_converged = false;
  /// The beginning, each of the first hundred steps, then fewer and fewer, among them 200, 500, 1,000, …, and
  /// the end.
  std::vector<PathPoint> path;

  [[nodiscard]] const PathPoint& end() const { return path.back(); }
};

/// Runs until no residual changes any more by more than 2e-12 of the equations' numbers, or until a limit of
/// steps: a million, fewer for large systems.
///
/// Without a rate, rules with a limit take a quarter of it, which halves the residual of one equation in each
/// step of sgd, and a fortieth with momentum; epoch-adam searches the line; adam and signsgd begin with a
/// tenth of the largest element of the least L2 solution. A rule without a limit halves its rate whenever a
/// step has gone past the least loss on its way (with one equation: the residual has changed its sign), adam
/// at most once in 20 steps.
///
/// Throws `Error` (bad input) that names the largest stable rate if the residual grows without bound, or if
/// no end is reached at a rate that is not below a sharp limit.
[[nodiscard]] Descent descend(const LinearSystem& system, const Solutions& solutions, const DescentRule& rule,
                              std::optional<double> rate);

}  // namespace trireme::optim
