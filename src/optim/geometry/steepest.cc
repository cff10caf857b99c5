#include "optim/geometry/steepest.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace trireme::optim {

SteepestUpdate steepest_update(const VectorNorm& norm, std::span<const double> gradient, double alpha) {
  if (!(alpha > 0) || !std::isfinite(alpha)) {
    throw bad_input(fmt::format("alpha is {}", alpha), "give a number above 0, such as 0.1");
  }
  SteepestUpdate steepest{.update = dual_direction(norm, gradient), .dual_norm = dual_length(norm, gradient)};
  for (double& element : steepest.update) {
    if (element != 0) element *= -alpha / 2 * steepest.dual_norm;  // no −0
  }
  steepest.objective = 0 - alpha / 4 * steepest.dual_norm * steepest.dual_norm;
  return steepest;
}

}  // namespace trireme::optim
