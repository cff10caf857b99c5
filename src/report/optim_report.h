// Where update rules end on linear equations, and the steepest updates for a gradient: text, JSON, a drawing.
#pragma once

#include <string>
#include <vector>

#include "optim/geometry/descent.h"
#include "optim/geometry/steepest.h"
#include "report/json.h"

namespace trireme::report {

/// The reference must live until the report is written.
struct DescentReport {
  const optim::LinearSystem& system;
  optim::Solutions solutions;
  std::vector<optim::Descent> descents;
};

/// The norm that is least among all solutions where this descent ended; empty if none is promised, or if it
/// has not converged.
[[nodiscard]] std::optional<optim::LeastNorm> least_norm_of(const DescentReport& report,
                                                            const optim::Descent& descent);

/// "θ1 + 0.1·θ2 − θ4 = 1"; many terms are cut short.
[[nodiscard]] std::string equation_words(const optim::Equation& equation);

/// One line for each rule, with the norms of its end beside the least of all solutions; then for each rule
/// the comparison with the solved least-norm problem and some points of its path.
[[nodiscard]] std::string to_text(const DescentReport& report);

/// {"rules": [{rule, theta, steps, residual, norms: {l1, l2, linf}, least_norm_of}]}; the residual is the
/// root mean square over the equations.
[[nodiscard]] Json to_json(const DescentReport& report);

/// The first two unknowns, of which there must be two: the line of solutions, the paths, and for two unknowns
/// in all the curve on which the norm that a rule makes least is as large as at its end.
[[nodiscard]] std::string to_svg(const DescentReport& report);

/// The steepest updates of one gradient under some norms.
struct UpdatesReport {
  struct Row {
    optim::VectorNorm norm;
    optim::SteepestUpdate steepest;
  };
  double alpha = 0;
  std::vector<double> gradient;
  std::vector<Row> rows;
};

[[nodiscard]] std::string to_text(const UpdatesReport& report);

/// {"updates": [{norm, update, dual_norm, objective}]}
[[nodiscard]] Json to_json(const UpdatesReport& report);

}  // namespace trireme::report
