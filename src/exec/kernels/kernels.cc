#include "exec/kernels/kernels.h"

#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/kernels/kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "exec/kernels/fold_call.h"
#include "exec/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trireme::exec::HWY_NAMESPACE {

// Takes a sum, divides it if need be, as if it had been stored first, and stores it in every target.
template <typename Lanes>
struct Sink {
  using Vec = hn::Vec<typename Lanes::Tag>;

  HWY_INLINE Vec finished(Vec sum) const {
    if constexpr (Lanes::kDivides) {
      if (divisor == 1) return sum;
      const auto by = hn::Set(typename Lanes::Tag(), static_cast<hn::TFromV<Vec>>(divisor));
      return hn::Div(Lanes::rounded(sum), by);
    }
    return sum;
  }
  HWY_INLINE void put(Vec sum, std::size_t at) const {
    const Vec result = finished(sum);
    for (std::size_t i = 0; i < target_count; ++i) Lanes::store(result, targets[i] + at);
  }

  std::byte* const* targets;
  std::size_t target_count;
  std::int64_t divisor;
};

struct Sources {
  const std::byte* const* at;
  std::size_t count;
};

template <typename Lanes>
HWY_INLINE void fold_vector(const Sink<Lanes>& sink, const Sources& sources, std::size_t at) {
  auto sum = Lanes::load(sources.at[0] + at);
  for (std::size_t i = 1; i < sources.count; ++i) sum = hn::Add(sum, Lanes::load(sources.at[i] + at));
  sink.put(sum, at);
}

// Folds what does not fill a vector in ever shorter ones, down to one lane.
template <typename T, typename D>
HWY_INLINE void fold_tail(const Sink<PlainLanes<T, D>>& sink, const Sources& sources, std::size_t at,
                          std::size_t bytes) {
  if constexpr (PlainLanes<T, D>::kHalves) {
    using Half = typename PlainLanes<T, D>::Half;
    const Sink<Half> narrow{sink.targets, sink.target_count, sink.divisor};
    const std::size_t step = bytes_per_vector<Half>();
    for (; at + step <= bytes; at += step) fold_vector<Half>(narrow, sources, at);
    fold_tail(narrow, sources, at, bytes);
  }
}

// Folds numbers that are widened in a padded vector.
template <typename Format>
void fold_tail(const Sink<HalfLanes<Format>>& sink, const Sources& sources, std::size_t at,
               std::size_t bytes) {
  using Lanes = HalfLanes<Format>;
  if (at == bytes) return;
  auto sum = load_some<Lanes>(sources.at[0] + at, bytes - at);
  for (std::size_t i = 1; i < sources.count; ++i) {
    sum = hn::Add(sum, load_some<Lanes>(sources.at[i] + at, bytes - at));
  }
  const auto result = sink.finished(sum);
  for (std::size_t i = 0; i < sink.target_count; ++i) {
    store_some<Lanes>(result, sink.targets[i] + at, bytes - at);
  }
}

// Four vectors at a time: enough additions in flight to hide their latency, and long enough reads of each
// source for the prefetcher to follow many sources.
template <typename Lanes>
void fold_lanes(const Sink<Lanes>& sink, const Sources& sources, std::size_t bytes) {
  const std::size_t step = bytes_per_vector<Lanes>();
  std::size_t at = 0;
  for (; at + 4 * step <= bytes; at += 4 * step) {
    const std::byte* first = sources.at[0] + at;
    auto sum0 = Lanes::load(first);
    auto sum1 = Lanes::load(first + step);
    auto sum2 = Lanes::load(first + 2 * step);
    auto sum3 = Lanes::load(first + 3 * step);
    for (std::size_t i = 1; i < sources.count; ++i) {
      const std::byte* next = sources.at[i] + at;
      sum0 = hn::Add(sum0, Lanes::load(next));
      sum1 = hn::Add(sum1, Lanes::load(next + step));
      sum2 = hn::Add(sum2, Lanes::load(next + 2 * step));
      sum3 = hn::Add(sum3, Lanes::load(next + 3 * step));
    }
    sum0 = sink.finished(sum0);
    sum1 = sink.finished(sum1);
    sum2 = sink.finished(sum2);
    sum3 = sink.finished(sum3);
    for (std::size_t i = 0; i < sink.target_count; ++i) {
      std::byte* target = sink.targets[i] + at;
      Lanes::store(sum0, target);
      Lanes::store(sum1, target + step);
      Lanes::store(sum2, target + 2 * step);
      Lanes::store(sum3, target + 3 * step);
    }
  }
  for (; at + step <= bytes; at += step) fold_vector<Lanes>(sink, sources, at);
  fold_tail(sink, sources, at, bytes);
}

template <typename Lanes>
void fold_as(const FoldCall& call) {
  fold_lanes<Lanes>({call.targets.data(), call.targets.size(), call.divisor},
                    {call.sources.data(), call.sources.size()}, call.bytes);
}

void fold_any(ElementType type, const FoldCall& call) {
  switch (type) {
    case ElementType::kFloat32:
      return fold_as<PlainLanes<float>>(call);
    case ElementType::kFloat64:
      return fold_as<PlainLanes<double>>(call);
    case ElementType::kInt32:
      return fold_as<PlainLanes<std::uint32_t>>(call);
    case ElementType::kInt64:
      return fold_as<PlainLanes<std::uint64_t>>(call);
    case ElementType::kFloat16:
      return fold_as<HalfLanes<Float16>>(call);
    case ElementType::kBFloat16:
      return fold_as<HalfLanes<BFloat16>>(call);
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

template <ElementType kType>
void add(std::byte* into, const std::byte* from, std::size_t bytes) {
  const std::byte* const sources[] = {into, from};
  HWY_DYNAMIC_DISPATCH(fold_any)(kType, {.targets = {&into, 1}, .sources = sources, .bytes = bytes});
}

std::size_t bytes_of(ElementType type, std::int64_t count) {
  assert(count >= 0);
  return static_cast<std::size_t>(count * size_of(type));
}

}  // namespace

wire::Combine add_kernel(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return add<ElementType::kFloat32>;
    case ElementType::kFloat64:
      return add<ElementType::kFloat64>;
    case ElementType::kInt32:
      return add<ElementType::kInt32>;
    case ElementType::kInt64:
      return add<ElementType::kInt64>;
    case ElementType::kFloat16:
      return add<ElementType::kFloat16>;
    case ElementType::kBFloat16:
      return add<ElementType::kBFloat16>;
  }
  return nullptr;
}

void fold(ElementType type, std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
          std::int64_t count, std::int64_t divisor) {
  assert(!sources.empty());
  assert(divisor == 1 || !is_integer(type));
  HWY_DYNAMIC_DISPATCH(fold_any)
  (type, {.targets = targets, .sources = sources, .bytes = bytes_of(type, count), .divisor = divisor});
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
