#include "optim/steady_math.h"

#include <cassert>
#include <numbers>

namespace trireme::optim {

double integer_power(double base, std::int64_t exponent) {
  assert(exponent >= 0);
  double power = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power *= base;
    base *= base;
  }
  return power;
}

double cosine_of_pi_times(double x) {
  assert(x >= 0 && x <= 1);
  if (x > 0.5) return -cosine_of_pi_times(1 - x);
  const double angle = std::numbers::pi * x;
  const double square = angle * angle;
  // The Taylor series, evaluated from its last term; up to π/2 the terms after 22 are below 1e-17.
  double sum = 1;
  for (int n = 22; n >= 2; n -= 2) sum = 1 - square / (n * (n - 1)) * sum;
  return sum;
}

}  // namespace trireme::optim
