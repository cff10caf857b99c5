#include "optim/geometry/vector_norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/text.h"

namespace trireme::optim {
namespace {

bool is_smaller(double a, double b) { return std::abs(a) < std::abs(b); }

double sum_of_sizes(std::span<const double> vector) {
  return std::accumulate(vector.begin(), vector.end(), 0.0,
                         [](double sum, double one) { return sum + std::abs(one); });
}

double largest_size(std::span<const double> vector) {
  return vector.empty() ? 0 : std::abs(*std::max_element(vector.begin(), vector.end(), is_smaller));
}

double euclidean(std::span<const double> vector) {
  return std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0));
}

// The sum of (|x|/largest)^p: between 1 and the number of elements, however large p is.
double sum_of_powers(std::span<const double> vector, double p, double largest) {
  return std::accumulate(vector.begin(), vector.end(), 0.0,
                         [&](double sum, double one) { return sum + std::pow(std::abs(one) / largest, p); });
}

double length_lp(std::span<const double> vector, double p) {
  const double largest = largest_size(vector);
  return largest == 0 ? 0 : largest * std::pow(sum_of_powers(vector, p, largest), 1 / p);
}

double conjugate(double p) { return p / (p - 1); }

// 1, −1, or 0 for 0.
double sign_of(double number) { return static_cast<double>((number > 0) - (number < 0)); }

}  // namespace

std::string name_of(const VectorNorm& norm) {
  switch (norm.kind) {
    case VectorNorm::Kind::kL1:
      return "l1";
    case VectorNorm::Kind::kL2:
      return "l2";
    case VectorNorm::Kind::kLinf:
      return "linf";
    case VectorNorm::Kind::kLp:
      break;
  }
  return fmt::format("lp={}", norm.p);
}

VectorNorm parse_norm(std::string_view text) {
  for (const VectorNorm::Kind kind :
       {VectorNorm::Kind::kL1, VectorNorm::Kind::kL2, VectorNorm::Kind::kLinf}) {
    if (text == name_of({.kind = kind})) return {.kind = kind};
  }
  if (!text.starts_with("lp=")) {
    throw bad_input(fmt::format("unknown norm '{}'", printable(text)),
                    "the norms are l1, l2, linf and lp=P with a P above 1, such as lp=3");
  }
  const std::optional<double> p = finite_number(text.substr(3));
  if (!p || *p <= 1) {
    throw bad_input(fmt::format("the p of '{}' is not a number above 1", printable(text)),
                    "give one such as lp=3; for p = 1 and p = ∞ there are l1 and linf");
  }
  return {.kind = VectorNorm::Kind::kLp, .p = *p};
}

double length(const VectorNorm& norm, std::span<const double> vector) {
  switch (norm.kind) {
    case VectorNorm::Kind::kL1:
      return sum_of_sizes(vector);
    case VectorNorm::Kind::kL2:
      return euclidean(vector);
    case VectorNorm::Kind::kLinf:
      return largest_size(vector);
    case VectorNorm::Kind::kLp:
      break;
  }
  return length_lp(vector, norm.p);
}

double dual_length(const VectorNorm& norm, std::span<const double> gradient) {
  switch (norm.kind) {
    case VectorNorm::Kind::kL1:
      return largest_size(gradient);
    case VectorNorm::Kind::kL2:
      return euclidean(gradient);
    case VectorNorm::Kind::kLinf:
      return sum_of_sizes(gradient);
    case VectorNorm::Kind::kLp:
      break;
  }
  return length_lp(gradient, conjugate(norm.p));
}

std::vector<double> dual_direction(const VectorNorm& norm, std::span<const double> gradient) {
  std::vector<double> direction(gradient.size());
  const double largest = largest_size(gradient);
  if (largest == 0) return direction;
  const auto from_each = [&](auto element) {
    std::transform(gradient.begin(), gradient.end(), direction.begin(), element);
  };
  switch (norm.kind) {
    case VectorNorm::Kind::kL1: {
      const auto first = std::max_element(gradient.begin(), gradient.end(), is_smaller);
      direction[static_cast<std::size_t>(first - gradient.begin())] = sign_of(*first);
      break;
    }
    case VectorNorm::Kind::kL2: {
      const double size = euclidean(gradient);
      from_each([&](double g) { return g / size; });
      break;
    }
    case VectorNorm::Kind::kLinf:
      from_each(sign_of);
      break;
    case VectorNorm::Kind::kLp: {
      // sign(g)·|g|^(q−1) / ‖g‖_q^(q−1), with q − 1 = 1/(p − 1) and (q − 1)/q = 1/p.
      const double size = std::pow(sum_of_powers(gradient, conjugate(norm.p), largest), 1 / norm.p);
      from_each(
          [&](double g) { return sign_of(g) * std::pow(std::abs(g) / largest, 1 / (norm.p - 1)) / size; });
      break;
    }
  }
  return direction;
}

}  // namespace trireme::optim
