// float16 and bfloat16: the 16-bit floating-point numbers that C++20 lacks, to be stored and exchanged. To
// calculate with them, convert them to float.
#pragma once

#include <trireme/version.h>

#include <bit>
#include <compare>
#include <cstdint>
#include <type_traits>

namespace trireme {
inline namespace TRIREME_ABI {

/// One sign bit, then so many bits of exponent and of fraction, as IEEE 754 has them: with infinities, NaN,
/// two zeros and subnormal numbers. Two bytes, trivial to copy; like a float it has no value until it gets
/// one.
template <int kExponentBits, int kFractionBits>
class Half {
  static_assert(1 + kExponentBits + kFractionBits == 16);

 public:
  Half() = default;
  /// The nearest number; of two that are equally near, the even one. What is too large becomes infinity; NaN
  /// becomes a quiet NaN. (A double is rounded to float first.)
  constexpr explicit Half(float number) : bits_(bits_nearest(std::bit_cast<std::uint32_t>(number))) {}
  /// The same number; every one is a float.
  [[nodiscard]] constexpr explicit operator float() const;

  /// The number that is stored in these bits, and back.
  [[nodiscard]] static constexpr Half from_bits(std::uint16_t bits) {
    Half number(0.0F);
    number.bits_ = bits;
    return number;
  }
  [[nodiscard]] constexpr std::uint16_t bits() const { return bits_; }

  /// As floats are compared: the zeros are equal, and NaN is neither less than, equal to nor greater than
  /// anything.
  [[nodiscard]] friend constexpr bool operator==(Half a, Half b) {
    return static_cast<float>(a) == static_cast<float>(b);
  }
  [[nodiscard]] friend constexpr std::partial_ordering operator<=>(Half a, Half b) {
    return static_cast<float>(a) <=> static_cast<float>(b);
  }

 private:
  // What a float has more: bits of fraction, and how much larger its exponents are stored.
  static constexpr int kDropped = 23 - kFractionBits;
  static constexpr std::uint32_t kBiasBeyond = 128U - (1U << (kExponentBits - 1));
  static constexpr std::uint32_t kInfinity = ((1U << kExponentBits) - 1U) << kFractionBits;

  static constexpr std::uint16_t bits_nearest(std::uint32_t number);

  std::uint16_t bits_;
};

/// 5 bits of exponent, 10 of fraction (binary16): 3 digits, up to 65,504.
using float16 = Half<5, 10>;
/// 8 bits of exponent, 7 of fraction: 2 digits, and the range of float.
using bfloat16 = Half<8, 7>;

template <int kExponentBits, int kFractionBits>
constexpr Half<kExponentBits, kFractionBits>::operator float() const {
  const std::uint32_t sign = (bits_ & 0x8000U) << 16;
  const std::uint32_t magnitude = bits_ & 0x7FFFU;
  std::uint32_t wide = (magnitude << kDropped) + (kBiasBeyond << 23);
  if (magnitude >= kInfinity) {
    wide = (magnitude << kDropped) | 0x7F80'0000U;
  } else if (kBiasBeyond > 0 && magnitude >> kFractionBits == 0) {
    // Subnormal, but not as a float: with the least normal number in front it is normal, too.
    const std::uint32_t least = (kBiasBeyond + 1) << 23;
    wide = std::bit_cast<std::uint32_t>(std::bit_cast<float>(least + (magnitude << kDropped)) -
                                        std::bit_cast<float>(least));
  }
  return std::bit_cast<float>(sign | wide);
}

template <int kExponentBits, int kFractionBits>
constexpr std::uint16_t Half<kExponentBits, kFractionBits>::bits_nearest(std::uint32_t number) {
  const std::uint32_t sign = (number & 0x8000'0000U) >> 16;
  const std::uint32_t magnitude = number & 0x7FFF'FFFFU;
  const std::uint32_t exponent = magnitude >> 23;
  if (magnitude > 0x7F80'0000U) {
    return static_cast<std::uint16_t>(sign | kInfinity | (1U << (kFractionBits - 1)));
  }
  std::uint32_t exact = magnitude - (kBiasBeyond << 23);  // with all bits of its fraction
  std::uint32_t dropped = kDropped;
  if (exponent <= kBiasBeyond) {  // subnormal, or zero
    exact = exponent == 0 ? magnitude : (magnitude & 0x7F'FFFFU) | 0x80'0000U;
    dropped += kBiasBeyond + 1 - (exponent == 0 ? 1 : exponent);
    if (dropped > 25) return static_cast<std::uint16_t>(sign);  // less than half of the least number
  }
  // A carry into the exponent is right, also to infinity.
  const std::uint32_t odd = (exact >> dropped) & 1U;
  const std::uint32_t rounded = (exact + (1U << (dropped - 1)) - 1U + odd) >> dropped;
  return static_cast<std::uint16_t>(sign | (rounded < kInfinity ? rounded : kInfinity));
}

static_assert(sizeof(float16) == 2 && std::is_trivially_copyable_v<float16>);
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

}  // namespace TRIREME_ABI
}  // namespace trireme
