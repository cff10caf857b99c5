// Vector code that turns 16-bit floating-point numbers into float32 and back, exactly: widening loses
// nothing, narrowing rounds once to nearest, ties to even. NaN stays NaN. Compiled once per instruction set.
//
// Highway's own conversions are used only where they are one instruction; its emulations truncate or forget
// NaN, infinity and subnormal numbers.
#if defined(TRIREME_EXEC_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRIREME_EXEC_HALF_INL_H_
#undef TRIREME_EXEC_HALF_INL_H_
#else
#define TRIREME_EXEC_HALF_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace trireme::exec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#undef TRIREME_HAS_F16C
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define TRIREME_HAS_F16C 1
#else
#define TRIREME_HAS_F16C 0
#endif

using FloatTag = hn::ScalableTag<float>;
using BitsTag = hn::ScalableTag<std::uint32_t>;
using HalfTag = hn::Rebind<std::uint16_t, FloatTag>;  // as many lanes as FloatTag, so half as many bytes
using FloatVec = hn::Vec<FloatTag>;
using BitsVec = hn::Vec<BitsTag>;
using HalfVec = hn::Vec<HalfTag>;

// The low 16 bits of lanes that hold no more.
HWY_INLINE HalfVec low_half(BitsVec v) {
  return hn::DemoteTo(HalfTag(), hn::BitCast(hn::RebindToSigned<BitsTag>(), v));
}

struct BFloat16 {
  static HWY_INLINE FloatVec widen(HalfVec v) {
    return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(hn::PromoteTo(BitsTag(), v)));
  }

  static HWY_INLINE HalfVec narrow(FloatVec v) {
    const BitsTag d;
    const BitsVec bits = hn::BitCast(d, v);
    const BitsVec odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
    const BitsVec rounded = hn::Add(bits, hn::Add(hn::Set(d, 0x7FFF), odd));
    const BitsVec quiet = hn::Or(bits, hn::Set(d, 0x400000));
    const auto is_nan = hn::RebindMask(d, hn::IsNaN(v));
    return low_half(hn::ShiftRight<16>(hn::IfThenElse(is_nan, quiet, rounded)));
  }
};

struct Float16 {
#if TRIREME_HAS_F16C
  static HWY_INLINE FloatVec widen(HalfVec v) {
    return hn::PromoteTo(FloatTag(), hn::BitCast(hn::Rebind<hwy::float16_t, FloatTag>(), v));
  }

  static HWY_INLINE HalfVec narrow(FloatVec v) {
    return hn::BitCast(HalfTag(), hn::DemoteTo(hn::Rebind<hwy::float16_t, FloatTag>(), v));
  }
#else
  static HWY_INLINE FloatVec widen(HalfVec v) {
    const BitsTag d;
    const BitsVec half = hn::PromoteTo(d, v);
    const BitsVec sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(d, 0x8000)));
    const BitsVec magnitude = hn::ShiftLeft<13>(hn::And(half, hn::Set(d, 0x7FFF)));
    const BitsVec exponent = hn::And(magnitude, hn::Set(d, 0x7C00u << 13));
    // The exponent's bias grows from 15 to 127; infinity and NaN must end at 255.
    const BitsVec normal = hn::Add(magnitude, hn::Set(d, 112u << 23));
    const BitsVec special = hn::Add(normal, hn::Set(d, 112u << 23));
    // Subnormal: 2^-14 in front makes it a normal number, and is subtracted again, which is exact.
    const FloatVec in_front = hn::BitCast(FloatTag(), hn::Add(magnitude, hn::Set(d, 113u << 23)));
    const BitsVec subnormal = hn::BitCast(d, hn::Sub(in_front, hn::Set(FloatTag(), 0x1p-14F)));

    BitsVec wide = hn::IfThenElse(hn::Eq(exponent, hn::Set(d, 0x7C00u << 13)), special, normal);
    wide = hn::IfThenElse(hn::Eq(exponent, hn::Zero(d)), subnormal, wide);
    return hn::BitCast(FloatTag(), hn::Or(wide, sign));
  }

  static HWY_INLINE HalfVec narrow(FloatVec v) {
    const BitsTag d;
    const BitsVec bits = hn::BitCast(d, v);
    const BitsVec sign = hn::And(bits, hn::Set(d, 0x80000000u));
    const BitsVec magnitude = hn::Xor(bits, sign);
    // Normal: the bias shrinks, the lower 13 bits are rounded off; a carry into the exponent is right, also
    // to infinity.
    const BitsVec odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1));
    const BitsVec nudge = hn::Sub(hn::Add(odd, hn::Set(d, 0xFFF)), hn::Set(d, 112u << 23));
    const BitsVec normal = hn::ShiftRight<13>(hn::Add(magnitude, nudge));
    // Subnormal: adding 0.5 moves the bits to where a float's own rounding drops just those that are too
    // many.
    const FloatVec moved = hn::Add(hn::BitCast(FloatTag(), magnitude), hn::Set(FloatTag(), 0.5F));
    const BitsVec subnormal = hn::Sub(hn::BitCast(d, moved), hn::BitCast(d, hn::Set(FloatTag(), 0.5F)));
    const BitsVec special =
        hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(v)), hn::Set(d, 0x7E00), hn::Set(d, 0x7C00));

    BitsVec half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 113u << 23)), subnormal, normal);
    half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 143u << 23)), half, special);
    return low_half(hn::Or(half, hn::ShiftRight<16>(sign)));
  }
#endif
};

}  // namespace trireme::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
