// How numbers of each type go from memory into vector lanes in which they can be combined, and back. Compiled
// once per instruction set.
//
// Memory is read as bytes, so that neither alignment nor the type it was written as matters. A tail that does
// not fill a vector goes through the same vector code, in shorter vectors or on a padded copy: same
// arithmetic, same bits, nothing read out of bounds.
#if defined(TRIREME_EXEC_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRIREME_EXEC_LANES_INL_H_
#undef TRIREME_EXEC_LANES_INL_H_
#else
#define TRIREME_EXEC_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "exec/kernels/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trireme::exec::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // one lane, which cannot be seen as bytes
template <typename D>
HWY_INLINE hn::Vec<D> load_bytes(D d, const std::byte* from) {
  hn::TFromD<D> lane;
  std::memcpy(&lane, from, sizeof(lane));
  return hn::Set(d, lane);
}

template <typename D>
HWY_INLINE void store_bytes(D, hn::Vec<D> v, std::byte* into) {
  const hn::TFromD<D> lane = hn::GetLane(v);
  std::memcpy(into, &lane, sizeof(lane));
}
#else
template <typename D>
HWY_INLINE hn::Vec<D> load_bytes(D d, const std::byte* from) {
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
}

template <typename D>
HWY_INLINE void store_bytes(D, hn::Vec<D> v, std::byte* into) {
  const hn::Repartition<std::uint8_t, D> bytes;
  hn::StoreU(hn::BitCast(bytes, v), bytes, reinterpret_cast<std::uint8_t*>(into));
}
#endif

/// Numbers that are combined as they are stored. Integers are added and multiplied as unsigned ones, which
/// wrap.
template <typename T, typename D = hn::ScalableTag<T>>
struct PlainLanes {
  using Tag = D;
  static constexpr bool kHalves = hn::MaxLanes(D()) > 1;
  using Half = PlainLanes<T, std::conditional_t<kHalves, hn::Half<D>, D>>;
  static constexpr bool kDivides = hwy::IsFloat<T>();
  static constexpr std::size_t kSize = sizeof(T);
  static HWY_INLINE hn::Vec<Tag> rounded(hn::Vec<Tag> v) { return v; }
  static HWY_INLINE hn::Vec<Tag> load(const std::byte* from) { return load_bytes(Tag(), from); }
  static HWY_INLINE void store(hn::Vec<Tag> v, std::byte* into) { store_bytes(Tag(), v, into); }
};

/// Floating-point numbers that are compared as integers in the same order, so that no processor's treatment
/// of NaN, zeros and subnormal numbers matters: −0 is less than +0, and every NaN is beyond all numbers, on
/// the side that prevails: the greatest for a maximum (`kNaNKey`), the least for a minimum. NaN is stored as
/// the one of `std::numeric_limits::quiet_NaN`.
///
/// `Bits`: a signed integer of the same size; `kInfinity`: the bits of infinity, below those of every NaN.
template <typename Bits, Bits kInfinity, Bits kNaNKey, typename D = hn::ScalableTag<Bits>>
struct OrderedLanes {
  using Tag = D;
  using Vec = hn::Vec<Tag>;
  static constexpr bool kHalves = hn::MaxLanes(D()) > 1;
  using Half = OrderedLanes<Bits, kInfinity, kNaNKey, std::conditional_t<kHalves, hn::Half<D>, D>>;
  static constexpr bool kDivides = false;
  static constexpr std::size_t kSize = sizeof(Bits);
  static constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();  // all bits but the sign
  static constexpr Bits kQuietNaN =
      static_cast<Bits>(kInfinity | (kInfinity & -kInfinity) >> 1);  // the first bit below the exponent

  /// The greater a negative number's magnitude is, the less is the number. Its own inverse.
  static HWY_INLINE Vec reordered(Vec v) {
    return hn::Xor(v, hn::And(hn::BroadcastSignBit(v), hn::Set(Tag(), kMagnitude)));
  }
  static HWY_INLINE Vec load(const std::byte* from) {
    const Vec bits = load_bytes(Tag(), from);
    const auto is_nan = hn::Gt(hn::And(bits, hn::Set(Tag(), kMagnitude)), hn::Set(Tag(), kInfinity));
    return hn::IfThenElse(is_nan, hn::Set(Tag(), kNaNKey), reordered(bits));
  }
  static HWY_INLINE void store(Vec v, std::byte* into) {
    const auto is_nan = hn::Eq(v, hn::Set(Tag(), kNaNKey));
    store_bytes(Tag(), hn::IfThenElse(is_nan, hn::Set(Tag(), kQuietNaN), reordered(v)), into);
  }
};

/// Bytes that are multiplied in 16 bits, as vectors of bytes have no multiplication. Products wrap.
struct ByteLanes {
  using Tag = hn::ScalableTag<std::uint16_t>;
  using StoredTag = hn::Rebind<std::uint8_t, Tag>;
  static constexpr bool kDivides = false;
  static constexpr std::size_t kSize = 1;
  static HWY_INLINE hn::Vec<Tag> load(const std::byte* from) {
    return hn::PromoteTo(Tag(), load_bytes(StoredTag(), from));
  }
  static HWY_INLINE void store(hn::Vec<Tag> v, std::byte* into) {
    store_bytes(StoredTag(), hn::TruncateTo(StoredTag(), v), into);
  }
};

/// Numbers that are stored in 16 bits and combined in float32.
template <typename Format>
struct HalfLanes {
  using Tag = FloatTag;
  static constexpr bool kDivides = true;
  static constexpr std::size_t kSize = 2;
  /// Rounds as storing does.
  static HWY_INLINE FloatVec rounded(FloatVec v) { return Format::widen(Format::narrow(v)); }
  static HWY_INLINE FloatVec load(const std::byte* from) {
    return Format::widen(load_bytes(HalfTag(), from));
  }
  static HWY_INLINE void store(FloatVec v, std::byte* into) {
    store_bytes(HalfTag(), Format::narrow(v), into);
  }
};

/// What does not fill a vector fits into shorter ones. Otherwise it is padded.
template <typename Lanes>
inline constexpr bool kHasShorterVectors = requires { typename Lanes::Half; };

template <typename Lanes>
HWY_INLINE std::size_t bytes_per_vector() {
  return hn::Lanes(typename Lanes::Tag()) * Lanes::kSize;
}

/// Room for one vector as it is stored.
template <typename Lanes>
struct Padded {
  HWY_ALIGN_MAX std::byte bytes[hn::MaxLanes(typename Lanes::Tag()) * Lanes::kSize] = {};
};

template <typename Lanes>
HWY_INLINE hn::Vec<typename Lanes::Tag> load_some(const std::byte* from, std::size_t bytes) {
  Padded<Lanes> padded;
  std::memcpy(padded.bytes, from, bytes);
  return Lanes::load(padded.bytes);
}

template <typename Lanes>
HWY_INLINE void store_some(hn::Vec<typename Lanes::Tag> v, std::byte* into, std::size_t bytes) {
  Padded<Lanes> padded;
  Lanes::store(v, padded.bytes);
  std::memcpy(into, padded.bytes, bytes);
}

}  // namespace trireme::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
