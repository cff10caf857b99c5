#include "exec/kernels/half.h"

#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/kernels/half.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "exec/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trireme::exec::HWY_NAMESPACE {

// Loads with one format and stores with another; the arithmetic between them is none.
template <typename From, typename Into>
void convert(const std::byte* from, std::byte* into, std::size_t count) {
  const std::size_t lanes = hn::Lanes(FloatTag());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    Into::store(From::load(from + i * From::kSize), into + i * Into::kSize);
  if (i == count) return;
  const FloatVec rest = load_some<From>(from + i * From::kSize, (count - i) * From::kSize);
  store_some<Into>(rest, into + i * Into::kSize, (count - i) * Into::kSize);
}

void widen_float16(const std::byte* from, std::byte* into, std::size_t count) {
  convert<HalfLanes<Float16>, PlainLanes<float>>(from, into, count);
}
void widen_bfloat16(const std::byte* from, std::byte* into, std::size_t count) {
  convert<HalfLanes<BFloat16>, PlainLanes<float>>(from, into, count);
}
void narrow_float16(const std::byte* from, std::byte* into, std::size_t count) {
  convert<PlainLanes<float>, HalfLanes<Float16>>(from, into, count);
}
void narrow_bfloat16(const std::byte* from, std::byte* into, std::size_t count) {
  convert<PlainLanes<float>, HalfLanes<BFloat16>>(from, into, count);
}

}  // namespace trireme::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trireme::exec {

HWY_EXPORT(widen_float16);
HWY_EXPORT(widen_bfloat16);
HWY_EXPORT(narrow_float16);
HWY_EXPORT(narrow_bfloat16);

void widen(ElementType type, std::span<const std::uint16_t> from, std::span<float> into) {
  assert(is_16_bit(type) && from.size() == into.size());
  const auto convert = type == ElementType::kFloat16 ? HWY_DYNAMIC_DISPATCH(widen_float16)
                                                     : HWY_DYNAMIC_DISPATCH(widen_bfloat16);
  convert(std::as_bytes(from).data(), std::as_writable_bytes(into).data(), from.size());
}

void narrow(ElementType type, std::span<const float> from, std::span<std::uint16_t> into) {
  assert(is_16_bit(type) && from.size() == into.size());
  const auto convert = type == ElementType::kFloat16 ? HWY_DYNAMIC_DISPATCH(narrow_float16)
                                                     : HWY_DYNAMIC_DISPATCH(narrow_bfloat16);
  convert(std::as_bytes(from).data(), std::as_writable_bytes(into).data(), from.size());
}

}  // namespace trireme::exec
#endif  // HWY_ONCE
