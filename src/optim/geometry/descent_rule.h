// The rules that `trireme optim` takes through linear equations, in double. With g the gradient of the loss,
// r = b − aᵀθ the residuals, and m and v 0 before step t = 1:
//
//   sgd           θ ← θ − rate·g
//   momentum      m ← 0.9·m + g,  θ ← θ − rate·m
//   nesterov      m ← 0.9·m + g,  θ ← θ − rate·(g + 0.9·m)
//   adam          m ← 0.9·m + 0.1·g,  v ← 0.999·v + 0.001·g²,
//                 θ ← θ − rate·(m/(1 − 0.9^t)) / (√(v/(1 − 0.999^t)) + 1e-8)
//   signsgd       θ ← θ − rate·sign(g)
//   steepest:N    θ ← θ + the steepest update under the norm N, with α = rate (`steepest.h`)
//   epoch-adam    θ ← θ − rate·g/s, where s_i is the root mean square of r·a_i over the equations, times 2:
//   an
//                 epoch's gradients, one for each equation. Where s_i is 0, θ_i stays.
//   rescaled-sgd  sgd on features of unit second moment, in the old units: θ_i ← θ_i − rate·g_i/s_i², where
//                 s_i² is the mean of a_i² (1 for a column of zeros)
//
// A constant rate makes sgd, momentum, nesterov, steepest:N and rescaled-sgd converge. The others take steps
// of some size however small g is, so their rate is halved on the way (`descent.h`).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "optim/geometry/linear_system.h"
#include "optim/geometry/vector_norm.h"

namespace trireme::optim {

struct DescentRule {
  enum class Kind { kSgd, kMomentum, kNesterov, kAdam, kSignSgd, kSteepest, kEpochAdam, kRescaledSgd };

  static constexpr double kMomentumFactor = 0.9;  ///< of momentum and nesterov

  Kind kind = Kind::kSgd;
  VectorNorm norm{};  ///< of kSteepest
};

/// "sgd", "steepest:lp=3", …
[[nodiscard]] std::string name_of(const DescentRule& rule);

/// Throws `Error` (bad input) that lists the rules.
[[nodiscard]] DescentRule parse_descent_rule(std::string_view text);

/// A norm of θ that some rule makes least.
struct LeastNorm {
  VectorNorm norm;
  bool is_rescaled = false;  ///< L2 of s_i·θ_i, where s_i² is the mean of a_i² over the equations
};

/// "l2", "rescaled-l2", …
[[nodiscard]] std::string name_of(const LeastNorm& least);

/// The norm that is least among all solutions where the rule ends, when it begins at 0; empty if none is
/// promised. The rules that move by L2 stay in the span of the equations, however many these are; the others
/// promise something for one equation only.
[[nodiscard]] std::optional<LeastNorm> promised(const LinearSystem& system, const DescentRule& rule);

/// The solution of least norm, solved.
[[nodiscard]] std::vector<double> least_solution(const LinearSystem& system, const LeastNorm& least);
[[nodiscard]] double length(const LinearSystem& system, const LeastNorm& least,
                            std::span<const double> theta);

/// A limit of the rate.
struct RateLimit {
  double rate = 0;       ///< below it, the rule converges
  bool is_sharp = true;  ///< from there on, it does not
  std::string formula;   ///< "1/‖a‖²"
};

/// Empty for the rules that halve their rate.
[[nodiscard]] std::optional<RateLimit> rate_limit(const LinearSystem& system, const DescentRule& rule);

}  // namespace trireme::optim
