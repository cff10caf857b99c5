// Norms of vectors, their duals, and the vectors that belong to them, in double.
//
// The dual norm of g is the most that gᵀv can be for vectors v of norm 1: L1 and L∞ are each other's dual, L2
// is its own, and that of Lp is Lq with 1/p + 1/q = 1.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trireme::optim {

struct VectorNorm {
  enum class Kind { kL1, kL2, kLinf, kLp };

  Kind kind = Kind::kL2;
  double p = 3;  ///< of kLp: above 1 and finite

  bool operator==(const VectorNorm&) const = default;
};

/// "l1", "l2", "linf", "lp=3".
[[nodiscard]] std::string name_of(const VectorNorm& norm);

/// Throws `Error` (bad input) that lists the norms, or says what p may be.
[[nodiscard]] VectorNorm parse_norm(std::string_view text);

[[nodiscard]] double length(const VectorNorm& norm, std::span<const double> vector);
[[nodiscard]] double dual_length(const VectorNorm& norm, std::span<const double> gradient);

/// A vector v of norm 1 with gᵀv = the dual length of g; zeros if g is 0. Where there are several: L∞ leaves
/// the elements where g is 0 at 0, and L1 takes the first of the largest elements of g.
[[nodiscard]] std::vector<double> dual_direction(const VectorNorm& norm, std::span<const double> gradient);

}  // namespace trireme::optim
