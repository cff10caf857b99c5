#include "optim/geometry/linear_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/text.h"

namespace trireme::optim {
namespace {

void check_size(const std::vector<Equation>& equations) {
  constexpr std::size_t kMost = LinearSystem::kMostCoefficients;
  if (equations.empty()) throw bad_input("there is no equation", "give one, such as 1,0.1,0.01=1");
  if (equations.size() > LinearSystem::kMostEquations) {
    throw bad_input(fmt::format("there are {} equations", equations.size()),
                    fmt::format("give at most {}", LinearSystem::kMostEquations));
  }
  const std::size_t unknowns = equations.front().coefficients.size();
  if (unknowns == 0 || unknowns > LinearSystem::kMostUnknowns) {
    throw bad_input(fmt::format("equation 1 has {} coefficients", unknowns),
                    fmt::format("give from 1 to {}", LinearSystem::kMostUnknowns));
  }
  if (unknowns * equations.size() > kMost) {
    throw bad_input(fmt::format("{} equations with {} coefficients each are too many numbers",
                                equations.size(), unknowns),
                    fmt::format("give at most {} in all", with_commas(kMost)));
  }
}

void check_equation(const Equation& equation, std::size_t unknowns, std::size_t number) {
  const std::vector<double>& row = equation.coefficients;
  if (row.size() != unknowns) {
    throw bad_input(fmt::format("equation {} has {}, equation 1 has {}", number,
                                counted(std::ssize(row), "coefficient"), unknowns),
                    "give each unknown a coefficient in every equation, also if it is 0");
  }
  const auto wrong = std::find_if_not(row.begin(), row.end(), is_in_range);
  if (wrong != row.end() || !is_in_range(equation.right)) {
    throw bad_input(fmt::format("equation {}: {} is too large or too small", number,
                                wrong != row.end() ? *wrong : equation.right),
                    "give 0 or numbers from 1e-50 to 1e50, with any sign");
  }
  if (std::all_of(row.begin(), row.end(), [](double one) { return one == 0; })) {
    throw bad_input(fmt::format("equation {}: all coefficients are 0", number),
                    "leave it out: it says nothing about the unknowns");
  }
}

}  // namespace

bool is_in_range(double number) {
  constexpr double kMostSize = 1e50;
  const double size = std::abs(number);
  return size == 0 || (size >= 1 / kMostSize && size <= kMostSize);
}

LinearSystem::LinearSystem(std::vector<Equation> equations) : equations_(std::move(equations)) {
  check_size(equations_);
  for (std::size_t i = 0; i < equations_.size(); ++i) check_equation(equations_[i], unknowns(), i + 1);
}

std::vector<double> LinearSystem::residuals(std::span<const double> theta) const {
  std::vector<double> all;
  all.reserve(size());
  for (const Equation& equation : equations_) {
    const auto& row = equation.coefficients;
    all.push_back(equation.right - std::inner_product(row.begin(), row.end(), theta.begin(), 0.0));
  }
  return all;
}

std::vector<double> LinearSystem::gradient(std::span<const double> residuals) const {
  std::vector<double> gradient(unknowns());
  for (std::size_t i = 0; i < size(); ++i) {
    const double factor = -2 * residuals[i] / static_cast<double>(size());
    const auto& row = equations_[i].coefficients;
    for (std::size_t j = 0; j < row.size(); ++j) gradient[j] += factor * row[j];
  }
  return gradient;
}

double root_mean_square(std::span<const double> values) {
  const double sum = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace trireme::optim
