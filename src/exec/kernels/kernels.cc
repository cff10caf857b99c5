#include "exec/kernels/kernels.h"

#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/kernels/kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "exec/kernels/fold-inl.h"
#include "exec/kernels/fold_call.h"
#include "exec/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trireme::exec::HWY_NAMESPACE {

void fold_sum(ElementType type, const FoldCall& call) {
  switch (type) {
    case ElementType::kFloat32:
      return fold_as<PlainLanes<float>, Add>(call);
    case ElementType::kFloat64:
      return fold_as<PlainLanes<double>, Add>(call);
    case ElementType::kInt32:
      return fold_as<PlainLanes<std::uint32_t>, Add>(call);
    case ElementType::kInt64:
      return fold_as<PlainLanes<std::uint64_t>, Add>(call);
    case ElementType::kFloat16:
      return fold_as<HalfLanes<Float16>, Add>(call);
    case ElementType::kBFloat16:
      return fold_as<HalfLanes<BFloat16>, Add>(call);
    case ElementType::kInt8:
    case ElementType::kUint8:
      return fold_as<PlainLanes<std::uint8_t>, Add>(call);
  }
}

void fold_product(ElementType type, const FoldCall& call) {
  switch (type) {
    case ElementType::kFloat32:
      return fold_as<PlainLanes<float>, Multiply>(call);
    case ElementType::kFloat64:
      return fold_as<PlainLanes<double>, Multiply>(call);
    case ElementType::kInt32:
      return fold_as<PlainLanes<std::uint32_t>, Multiply>(call);
    case ElementType::kInt64:
      return fold_as<PlainLanes<std::uint64_t>, Multiply>(call);
    case ElementType::kFloat16:
      return fold_as<HalfLanes<Float16>, Multiply>(call);
    case ElementType::kBFloat16:
      return fold_as<HalfLanes<BFloat16>, Multiply>(call);
    case ElementType::kInt8:
    case ElementType::kUint8:
      return fold_as<ByteLanes, Multiply>(call);
  }
}

// The lanes of a minimum or maximum of floating-point numbers.
template <typename Bits, Bits kInfinity, typename Operation>
using Ordered = OrderedLanes<Bits, kInfinity,
                             std::is_same_v<Operation, TakeLeast> ? std::numeric_limits<Bits>::min()
                                                                  : std::numeric_limits<Bits>::max()>;

template <typename Operation>
void fold_extreme(ElementType type, const FoldCall& call) {
  switch (type) {
    case ElementType::kFloat32:
      return fold_as<Ordered<std::int32_t, 0x7F800000, Operation>, Operation>(call);
    case ElementType::kFloat64:
      return fold_as<Ordered<std::int64_t, 0x7FF0000000000000, Operation>, Operation>(call);
    case ElementType::kInt32:
      return fold_as<PlainLanes<std::int32_t>, Operation>(call);
    case ElementType::kInt64:
      return fold_as<PlainLanes<std::int64_t>, Operation>(call);
    case ElementType::kFloat16:
      return fold_as<Ordered<std::int16_t, 0x7C00, Operation>, Operation>(call);
    case ElementType::kBFloat16:
      return fold_as<Ordered<std::int16_t, 0x7F80, Operation>, Operation>(call);
    case ElementType::kInt8:
      return fold_as<PlainLanes<std::int8_t>, Operation>(call);
    case ElementType::kUint8:
      return fold_as<PlainLanes<std::uint8_t>, Operation>(call);
  }
}

void fold_any(ElementType type, Reduction reduction, const FoldCall& call) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAverage:
      return fold_sum(type, call);
    case Reduction::kProduct:
      return fold_product(type, call);
    case Reduction::kMin:
      return fold_extreme<TakeLeast>(type, call);
    case Reduction::kMax:
      return fold_extreme<TakeGreatest>(type, call);
  }
}

template <typename Lanes, typename T>
void divide_lanes(std::byte* data, std::size_t bytes, T divisor) {
  const auto by = hn::Set(typename Lanes::Tag(), divisor);
  const std::size_t step = bytes_per_vector<Lanes>();
  std::size_t at = 0;
  for (; at + step <= bytes; at += step) Lanes::store(hn::Div(Lanes::load(data + at), by), data + at);
  if (at == bytes) return;
  store_some<Lanes>(hn::Div(load_some<Lanes>(data + at, bytes - at), by), data + at, bytes - at);
}

void divide_any(ElementType type, std::byte* data, std::size_t bytes, std::int64_t divisor) {
  const auto wide = static_cast<double>(divisor);
  const auto narrow = static_cast<float>(divisor);
  switch (type) {
    case ElementType::kFloat32:
      return divide_lanes<PlainLanes<float>>(data, bytes, narrow);
    case ElementType::kFloat64:
      return divide_lanes<PlainLanes<double>>(data, bytes, wide);
    case ElementType::kFloat16:
      return divide_lanes<HalfLanes<Float16>>(data, bytes, narrow);
    case ElementType::kBFloat16:
      return divide_lanes<HalfLanes<BFloat16>>(data, bytes, narrow);
    case ElementType::kInt32:
    case ElementType::kInt64:
    case ElementType::kInt8:
    case ElementType::kUint8:
      return;
  }
}

}  // namespace trireme::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

#include "base/error.h"

namespace trireme::exec {
namespace {

HWY_EXPORT(fold_any);
HWY_EXPORT(divide_any);

template <ElementType kType, Reduction kReduction>
void combine(std::byte* into, const std::byte* from, std::size_t bytes) {
  const std::byte* const sources[] = {into, from};
  HWY_DYNAMIC_DISPATCH(fold_any)
  (kType, kReduction, {.targets = {&into, 1}, .sources = sources, .bytes = bytes});
}

template <ElementType kType>
wire::Combine combine_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAverage:
      return combine<kType, Reduction::kSum>;
    case Reduction::kProduct:
      return combine<kType, Reduction::kProduct>;
    case Reduction::kMin:
      return combine<kType, Reduction::kMin>;
    case Reduction::kMax:
      return combine<kType, Reduction::kMax>;
  }
  return nullptr;
}

std::size_t bytes_of(ElementType type, std::int64_t count) {
  assert(count >= 0);
  return static_cast<std::size_t>(count * size_of(type));
}

}  // namespace

wire::Combine combine_kernel(ElementType type, Reduction reduction) {
  switch (type) {
    case ElementType::kFloat32:
      return combine_of<ElementType::kFloat32>(reduction);
    case ElementType::kFloat64:
      return combine_of<ElementType::kFloat64>(reduction);
    case ElementType::kInt32:
      return combine_of<ElementType::kInt32>(reduction);
    case ElementType::kInt64:
      return combine_of<ElementType::kInt64>(reduction);
    case ElementType::kFloat16:
      return combine_of<ElementType::kFloat16>(reduction);
    case ElementType::kBFloat16:
      return combine_of<ElementType::kBFloat16>(reduction);
    case ElementType::kInt8:
      return combine_of<ElementType::kInt8>(reduction);
    case ElementType::kUint8:
      return combine_of<ElementType::kUint8>(reduction);
  }
  return nullptr;
}

void fold(ElementType type, Reduction reduction, std::span<std::byte* const> targets,
          std::span<const std::byte* const> sources, std::int64_t count, std::int64_t divisor) {
  assert(!sources.empty());
  assert(divisor == 1 || (reduction == Reduction::kAverage && !is_integer(type)));
  HWY_DYNAMIC_DISPATCH(fold_any)
  (type, reduction,
   {.targets = targets, .sources = sources, .bytes = bytes_of(type, count), .divisor = divisor});
}

void divide(ElementType type, std::byte* data, std::int64_t count, std::int64_t divisor) {
  if (is_integer(type)) {
    throw bad_input(fmt::format("{} has sums but no averages", name(type)),
                    "ask for the sum, or use a float type");
  }
  HWY_DYNAMIC_DISPATCH(divide_any)(type, data, bytes_of(type, count), divisor);
}

}  // namespace trireme::exec
#endif  // HWY_ONCE
