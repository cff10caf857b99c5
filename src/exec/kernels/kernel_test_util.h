// Shared by the tests of the kernels: every instruction set this machine has, and 16-bit formats worked out
// by hand.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "exec/kernels/element_type.h"

namespace trireme::exec {

/// Calls `body` once for each instruction set that was compiled in and that this processor has.
inline void on_every_target(const std::function<void()>& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// A binary floating-point format of 16 bits, read and rounded in double arithmetic, without a trick.
struct HalfFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;

  static HalfFormat of(ElementType type) {
    return type == ElementType::kFloat16 ? HalfFormat{5, 10} : HalfFormat{8, 7};
  }

  [[nodiscard]] int smallest_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
  [[nodiscard]] int infinity() const { return ((1 << exponent_bits) - 1) << mantissa_bits; }
  [[nodiscard]] std::uint16_t quiet_nan() const {
    return static_cast<std::uint16_t>(infinity() | 1 << (mantissa_bits - 1));
  }
  [[nodiscard]] bool is_nan(std::uint16_t bits) const { return (bits & 0x7FFF) > infinity(); }

  [[nodiscard]] float widen(std::uint16_t bits) const {
    const int magnitude = bits & 0x7FFF;
    const int exponent = magnitude >> mantissa_bits;
    const int mantissa = magnitude & ((1 << mantissa_bits) - 1);
    double value = 0;
    if (magnitude > infinity()) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (magnitude == infinity()) {
      value = std::numeric_limits<double>::infinity();
    } else if (exponent == 0) {
      value = std::ldexp(mantissa, smallest_exponent() - mantissa_bits);
    } else {
      value = std::ldexp(mantissa + (1 << mantissa_bits), exponent - 1 + smallest_exponent() - mantissa_bits);
    }
    return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
  }

  [[nodiscard]] std::uint16_t narrow(float wide) const {
    const int sign = std::signbit(wide) ? 0x8000 : 0;
    const double value = std::abs(static_cast<double>(wide));
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | (infinity() + 1));
    if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity());
    if (value == 0) return static_cast<std::uint16_t>(sign);

    const int exponent = std::max(std::ilogb(value), smallest_exponent());
    const double units = std::ldexp(value, mantissa_bits - exponent);  // exact; the fraction is rounded away
    auto whole = static_cast<int>(std::floor(units));
    const double fraction = units - whole;
    if (fraction > 0.5 || (fraction == 0.5 && whole % 2 == 1)) ++whole;
    const int bits = ((exponent - smallest_exponent()) << mantissa_bits) + whole;
    return static_cast<std::uint16_t>(sign | std::min(bits, infinity()));
  }
};

/// A small generator of bits; tests need the same ones everywhere.
class TestBits {
 public:
  explicit TestBits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// In [−1, 1), with a random exponent, so that sums in another order differ.
  double number() {
    const double unit = static_cast<double>(static_cast<std::int64_t>(next())) * 0x1p-63;
    return std::ldexp(unit, static_cast<int>(next() % 12));
  }

 private:
  std::uint64_t state_;
};

}  // namespace trireme::exec
