// Linear equations aᵀθ = b in the same unknowns, and their loss: the mean of (b − aᵀθ)² over the equations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trireme::optim {

struct Equation {
  std::vector<double> coefficients;  ///< a
  double right = 0;                  ///< b
};

/// Whether a number is 0 or has a size between 1e-50 and 1e50, so that its square is in range, too.
[[nodiscard]] bool is_in_range(double number);

class LinearSystem {
 public:
  static constexpr std::size_t kMostUnknowns = 1000;
  static constexpr std::size_t kMostEquations = 1000;
  static constexpr std::size_t kMostCoefficients = 100'000;  ///< in all equations together

  /// Throws `Error` (bad input) that names the equation, counted from 1, if its coefficients are all 0 or not
  /// as many as in equation 1, if a number is out of range, or if there are too few or too many of anything.
  explicit LinearSystem(std::vector<Equation> equations);

  [[nodiscard]] const std::vector<Equation>& equations() const { return equations_; }
  [[nodiscard]] std::size_t size() const { return equations_.size(); }
  [[nodiscard]] std::size_t unknowns() const { return equations_.front().coefficients.size(); }

  /// b − aᵀθ of each equation.
  [[nodiscard]] std::vector<double> residuals(std::span<const double> theta) const;

  /// The gradient of the loss where these are the residuals: −2·mean of r·a.
  [[nodiscard]] std::vector<double> gradient(std::span<const double> residuals) const;

 private:
  std::vector<Equation> equations_;
};

/// √(the mean of x²); of the residuals, this is the root of the loss.
[[nodiscard]] double root_mean_square(std::span<const double> values);

}  // namespace trireme::optim
