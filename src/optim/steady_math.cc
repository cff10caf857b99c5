#include "optim/steady_math.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace trireme::optim {
namespace {

// log₂ of a number > 0: the exponent, and the series of artanh for the rest, which is within √½ … √2.
double log2_of(double x) {
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < std::numbers::sqrt2 / 2) {
    fraction *= 2;
    --exponent;
  }
  const double s = (fraction - 1) / (fraction + 1);
  const double square = s * s;
  double sum = 0;
  for (int n = 21; n >= 1; n -= 2) sum = 1.0 / n + square * sum;  // the terms after 21 are below 1e-18
  return exponent + 2 / std::numbers::ln2 * s * sum;
}

// 2^x for x ≤ 0: the nearest whole number, and the series of e^x for the rest.
double exp2_of(double x) {
  if (x < -1100) return 0;
  const double whole = std::floor(x + 0.5);
  const double rest = (x - whole) * std::numbers::ln2;
  double sum = 1;
  for (int n = 15; n >= 1; --n) sum = 1 + rest / n * sum;  // the terms after 15 are below 1e-20
  return std::ldexp(sum, static_cast<int>(whole));
}

}  // namespace

double integer_power(double base, std::int64_t exponent) {
  assert(exponent >= 0);
  double power = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) power *= base;
    base *= base;
  }
  return power;
}

double power(double base, double exponent) {
  assert(!(base < 0 || base > 1) && exponent > 0);
  if (base == 0 || base == 1 || std::isnan(base)) return base;
  return exp2_of(exponent * log2_of(base));
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
