#include "optim/measure.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "base/types.h"
#include "optim/block_sum.h"
#include "optim/orthogonal.h"
#include "optim/steady_math.h"

namespace trireme::optim {
namespace {

double magnitude(float value) { return std::abs(static_cast<double>(value)); }

// The number itself if it is 0 or NaN.
float sign_of(float value) { return value > 0 ? 1.0F : value < 0 ? -1.0F : value; }

// NaN counts as greater than any number.
bool is_greater(double a, double b) { return a > b || (std::isnan(a) && !std::isnan(b)); }

double dual_exponent(const RuleSpec& spec) { return spec.p / (spec.p - 1); }

Measure first_greatest(std::span<const float> d) {
  Measure greatest;
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (greatest.index >= 0 && !is_greater(magnitude(d[i]), greatest.value)) continue;
    greatest = {magnitude(d[i]), static_cast<std::int64_t>(i)};
  }
  return greatest;
}

Measure into_signs(std::span<float> d) {
  const double sum = sum_of(d.size(), [&](std::size_t i) { return magnitude(d[i]); });
  for (float& value : d) value = sign_of(value);
  return {.value = sum};
}

Measure into_one_sign(std::span<float> d) {
  const Measure greatest = first_greatest(d);
  if (greatest.index >= 0) d[idx(greatest.index)] = sign_of(d[idx(greatest.index)]);
  return greatest;
}

// (Σ tᵢ^q)^(1/q) from the sum, which is at least 1
double root_of_sum(double sum, double q) { return 1 / power(1 / sum, 1 / q); }

Measure into_powers(std::span<float> d, double q) {
  const double greatest = first_greatest(d).value;
  if (greatest == 0) return {};
  if (!std::isfinite(greatest)) {
    std::fill(d.begin(), d.end(), std::numeric_limits<float>::quiet_NaN());
    return {.value = greatest};
  }
  // t^q is t·t^(q−1): each element is raised to a power once, and overwritten by it.
  const double sum = sum_of(d.size(), [&](std::size_t i) {
    const double t = magnitude(d[i]) / greatest;
    const double raised = power(t, q - 1);
    d[i] = std::copysign(static_cast<float>(raised), d[i]);
    return t * raised;
  });
  const double root = root_of_sum(sum, q);
  const double share = power(1 / root, q - 1);
  for (float& value : d) value = static_cast<float>(static_cast<double>(value) * share);
  return {.value = greatest * root};
}

// The sum of the singular values is the product of the matrix and its orthogonal factor, element by element.
Measure into_orthogonal(const RuleSpec& spec, const TensorShape& shape, std::span<float> d) {
  const std::vector<float> before(d.begin(), d.end());
  const Matrix matrix{d, idx(shape.rows), idx(shape.columns)};
  spec.svd ? orthogonalize_by_svd(matrix) : orthogonalize(matrix);
  return {.value = sum_of(d.size(), [&](std::size_t i) {
            return static_cast<double>(before[i]) * static_cast<double>(d[i]);
          })};
}

Measure sum_of_measures(std::span<const Measure> measures) {
  Measure sum;
  for (const Measure& measure : measures) sum.value += measure.value;
  return sum;
}

Measure norm_of_measures(std::span<const Measure> measures, double q) {
  double greatest = 0;
  for (const Measure& measure : measures)
    greatest = is_greater(measure.value, greatest) ? measure.value : greatest;
  if (greatest == 0 || !std::isfinite(greatest)) return {.value = greatest};
  double sum = 0;
  for (const Measure& measure : measures) sum += power(measure.value / greatest, q);
  return {.value = greatest * root_of_sum(sum, q)};
}

// All get the greatest value, but only the first tensor that has it also gets the place.
std::vector<Measure> greatest_of_measures(std::span<const Measure> measures) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    if (is_greater(measures[i].value, measures[first].value)) first = i;
  }
  std::vector<Measure> all(measures.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {measures[first].value, i == first ? measures[i].index : -1};
  return all;
}

}  // namespace

std::vector<Measure> measures_of_model(const RuleSpec& spec, std::span<const Measure> measures) {
  if (spec.kind == RuleKind::kSteepestL1) return greatest_of_measures(measures);
  const bool has_p = spec.kind == RuleKind::kSteepestLp;
  const Measure all = has_p ? norm_of_measures(measures, dual_exponent(spec)) : sum_of_measures(measures);
  return std::vector<Measure>(measures.size(), all);
}

Measure into_direction(const RuleSpec& spec, const TensorShape& shape, std::span<float> d) {
  assert(std::ssize(d) == shape.count());
  switch (spec.kind) {
    case RuleKind::kSteepestLinf:
      return into_signs(d);
    case RuleKind::kSteepestL1:
      return into_one_sign(d);
    case RuleKind::kSteepestLp:
      return into_powers(d, dual_exponent(spec));
    case RuleKind::kSteepestSpectral:
      return into_orthogonal(spec, shape, d);
    default:
      assert(false);
      return {};
  }
}

float direction_factor(const RuleSpec& spec, double alpha, const Measure& own, const Measure& of_model) {
  double factor = -(alpha / 2) * of_model.value;
  if (spec.kind == RuleKind::kSteepestLp && of_model.value > 0)
    factor *= power(own.value / of_model.value, dual_exponent(spec) - 1);
  return static_cast<float>(factor);
}

}  // namespace trireme::optim
