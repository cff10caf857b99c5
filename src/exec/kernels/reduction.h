// How the numbers of all workers become one number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace trireme::exec {

/// Sums and products follow the order of the plan, so that rounding is the same everywhere; of integers they
/// wrap. A minimum or maximum is one of the numbers, exactly, in whatever order they are compared: −0 is less
/// than +0, and if any number is NaN, the result is the NaN of `std::numeric_limits::quiet_NaN`.
enum class Reduction : std::uint8_t {
  kSum,
  kAverage,  ///< the sum, then one division, by whoever completes a slice; not of integers, whose sum may
             ///< wrap and whose quotient is seldom an integer
  kProduct,
  kMin,
  kMax,
};

/// "sum", "average", "product", "min", "max".
[[nodiscard]] std::string_view name(Reduction reduction);
[[nodiscard]] std::span<const Reduction> all_reductions();

}  // namespace trireme::exec
