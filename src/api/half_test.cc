// The public 16-bit floats, against a reference in double arithmetic and against the kernels that add them.
#include <gtest/gtest.h>
#include <trireme/half.h>

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include "exec/kernels/half.h"
#include "exec/kernels/kernel_test_util.h"

namespace trireme {
namespace {

template <typename T>
struct FormatOf {
  static constexpr exec::ElementType kType =
      std::is_same_v<T, float16> ? exec::ElementType::kFloat16 : exec::ElementType::kBFloat16;
  static exec::HalfFormat format() { return exec::HalfFormat::of(kType); }
};

template <typename T>
class PublicHalf : public testing::Test {};
using HalfTypes = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(PublicHalf, HalfTypes);

TYPED_TEST(PublicHalf, IsTheSameNumberAsAFloat) {
  const exec::HalfFormat format = FormatOf<TypeParam>::format();
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const TypeParam number = TypeParam::from_bits(bits);
    ASSERT_EQ(number.bits(), bits);
    const auto wide = static_cast<float>(number);
    if (format.is_nan(bits)) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
      ASSERT_TRUE(format.is_nan(TypeParam(wide).bits())) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(wide), std::bit_cast<std::uint32_t>(format.widen(bits))) << bits;
      ASSERT_EQ(TypeParam(wide).bits(), bits);
    }
  }
}

template <typename T>
void expect_nearest(float number) {
  const std::uint16_t bits = T(number).bits();
  if (std::isnan(number)) {
    ASSERT_EQ(bits & 0x7FFF, FormatOf<T>::format().quiet_nan());
  } else {
    ASSERT_EQ(bits, FormatOf<T>::format().narrow(number)) << std::hexfloat << number;
  }
}

TYPED_TEST(PublicHalf, IsTheNearestToAFloatAndOfTwoTheEvenOne) {
  const exec::HalfFormat format = FormatOf<TypeParam>::format();
  for (int bits = 0; bits < format.infinity(); ++bits) {
    const double below = format.widen(static_cast<std::uint16_t>(bits));
    const double above = bits + 1 < format.infinity() ? format.widen(static_cast<std::uint16_t>(bits + 1))
                                                      : std::ldexp(1.0, 1 << (format.exponent_bits - 1));
    const auto halfway = static_cast<float>((below + above) / 2);
    for (const float near : {std::nextafter(halfway, 0.0F), halfway, std::nextafter(halfway, INFINITY)}) {
      expect_nearest<TypeParam>(near);
      expect_nearest<TypeParam>(-near);
    }
  }
  exec::TestBits random(1);
  for (int i = 0; i < 200'000; ++i) {
    expect_nearest<TypeParam>(std::bit_cast<float>(static_cast<std::uint32_t>(random.next())));
  }
}

TYPED_TEST(PublicHalf, IsRoundedAsTheKernelsRound) {
  exec::TestBits random(2);
  std::vector<float> wide(100'000);
  for (float& number : wide)
    number = static_cast<float>(random.number()) * (random.next() % 2 == 0 ? 1 : 1e-6F);
  std::vector<std::uint16_t> narrowed(wide.size());
  exec::narrow(FormatOf<TypeParam>::kType, wide, narrowed);
  for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_EQ(TypeParam(wide[i]).bits(), narrowed[i]) << wide[i];
}

TYPED_TEST(PublicHalf, IsComparedAsFloatsAre) {
  const TypeParam one(1);
  const TypeParam two(2);
  const TypeParam nan(std::numeric_limits<float>::quiet_NaN());
  EXPECT_LT(one, two);
  EXPECT_GT(-2.0F, static_cast<float>(TypeParam(-3)));
  EXPECT_EQ(TypeParam(0.0F), TypeParam(-0.0F));
  EXPECT_NE(TypeParam(0.0F).bits(), TypeParam(-0.0F).bits());
  EXPECT_NE(nan, nan);
  EXPECT_EQ(nan <=> one, std::partial_ordering::unordered);
}

TEST(PublicHalf, IsKnownWhenTheProgramIsCompiled) {
  static_assert(static_cast<float>(float16(65504.0F)) == 65504.0F);
  static_assert(float16(65520.0F).bits() == 0x7C00);
  static_assert(float16(0x1p-24F).bits() == 1 && float16(0x1p-25F).bits() == 0);
  static_assert(static_cast<float>(float16::from_bits(1)) == 0x1p-24F);
  static_assert(bfloat16(1.0F).bits() == 0x3F80 && bfloat16(1.0F) < bfloat16(1.01F));
}

}  // namespace
}  // namespace trireme
