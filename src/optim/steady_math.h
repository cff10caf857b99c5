// The few functions beyond +, −, ·, / and √ that update rules and schedules need. The C library's versions
// may round differently on another processor or in another version; these give the same bits everywhere.
#pragma once

#include <cstdint>

namespace trireme::optim {

/// base^exponent for exponent ≥ 0, by repeated squaring.
[[nodiscard]] double integer_power(double base, std::int64_t exponent);

/// cos(π·x) for x in [0, 1], to within 4e-16; exactly 1 at 0 and −1 at 1.
[[nodiscard]] double cosine_of_pi_times(double x);

}  // namespace trireme::optim
