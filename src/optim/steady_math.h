// The few functions beyond +, −, ·, / and √ that update rules and schedules need. The C library's versions
// may round differently on another processor or in another version; these give the same bits everywhere.
#pragma once

#include <cstdint>

namespace trireme::optim {

/// base^exponent for exponent ≥ 0, by repeated squaring.
[[nodiscard]] double integer_power(double base, std::int64_t exponent);

/// base^exponent for base in [0, 1] and exponent > 0, to within 1e-15·(1 + |log₂ of it|) of itself; exactly 1
/// if base is 1, and 0 where it is below 2^−1074. NaN if base is.
[[nodiscard]] double power(double base, double exponent);

/// cos(π·x) for x in [0, 1], to within 4e-16; exactly 1 at 0 and −1 at 1.
[[nodiscard]] double cosine_of_pi_times(double x);

}  // namespace trireme::optim
