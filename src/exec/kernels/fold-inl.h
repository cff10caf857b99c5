// A fold in vectors: takes one vector from each source in turn, combines them in that order, and stores the
// outcome in every target. Compiled once per instruction set, for each way to combine by itself: what is done
// with two numbers is known inside the loops.
#if defined(TRIREME_EXEC_FOLD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRIREME_EXEC_FOLD_INL_H_
#undef TRIREME_EXEC_FOLD_INL_H_
#else
#define TRIREME_EXEC_FOLD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "exec/kernels/fold_call.h"
#include "exec/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trireme::exec::HWY_NAMESPACE {

struct Add {
  template <typename Vec>
  static HWY_INLINE Vec combined(Vec a, Vec b) {
    return hn::Add(a, b);
  }
};

struct Multiply {
  template <typename Vec>
  static HWY_INLINE Vec combined(Vec a, Vec b) {
    return hn::Mul(a, b);
  }
};

struct TakeLeast {
  template <typename Vec>
  static HWY_INLINE Vec combined(Vec a, Vec b) {
    return hn::Min(a, b);
  }
};

struct TakeGreatest {
  template <typename Vec>
  static HWY_INLINE Vec combined(Vec a, Vec b) {
    return hn::Max(a, b);
  }
};

// Takes what was combined, divides it if need be, as if it had been stored first, and stores it in every
// target.
template <typename Lanes>
struct Sink {
  using Vec = hn::Vec<typename Lanes::Tag>;

  HWY_INLINE Vec finished(Vec combined) const {
    if constexpr (Lanes::kDivides) {
      if (divisor == 1) return combined;
      const auto by = hn::Set(typename Lanes::Tag(), static_cast<hn::TFromV<Vec>>(divisor));
      return hn::Div(Lanes::rounded(combined), by);
    }
    return combined;
  }
  HWY_INLINE void put(Vec combined, std::size_t at) const {
    const Vec result = finished(combined);
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

template <typename Lanes, typename Operation>
HWY_INLINE void fold_vector(const Sink<Lanes>& sink, const Sources& sources, std::size_t at) {
  auto all = Lanes::load(sources.at[0] + at);
  for (std::size_t i = 1; i < sources.count; ++i) {
    all = Operation::combined(all, Lanes::load(sources.at[i] + at));
  }
  sink.put(all, at);
}

// Folds what does not fill a vector in ever shorter ones, down to one lane.
template <typename Lanes, typename Operation>
  requires kHasShorterVectors<Lanes>
HWY_INLINE void fold_tail(const Sink<Lanes>& sink, const Sources& sources, std::size_t at,
                          std::size_t bytes) {
  if constexpr (Lanes::kHalves) {
    using Half = typename Lanes::Half;
    const Sink<Half> narrow{sink.targets, sink.target_count, sink.divisor};
    const std::size_t step = bytes_per_vector<Half>();
    for (; at + step <= bytes; at += step) fold_vector<Half, Operation>(narrow, sources, at);
    fold_tail<Half, Operation>(narrow, sources, at, bytes);
  }
}

// Folds numbers that are widened in a padded vector.
template <typename Lanes, typename Operation>
void fold_tail(const Sink<Lanes>& sink, const Sources& sources, std::size_t at, std::size_t bytes) {
  if (at == bytes) return;
  auto all = load_some<Lanes>(sources.at[0] + at, bytes - at);
  for (std::size_t i = 1; i < sources.count; ++i) {
    all = Operation::combined(all, load_some<Lanes>(sources.at[i] + at, bytes - at));
  }
  const auto result = sink.finished(all);
  for (std::size_t i = 0; i < sink.target_count; ++i) {
    store_some<Lanes>(result, sink.targets[i] + at, bytes - at);
  }
}

// Four vectors at a time: enough operations in flight to hide their latency, and long enough reads of each
// source for the prefetcher to follow many sources.
template <typename Lanes, typename Operation>
void fold_lanes(const Sink<Lanes>& sink, const Sources& sources, std::size_t bytes) {
  const std::size_t step = bytes_per_vector<Lanes>();
  std::size_t at = 0;
  for (; at + 4 * step <= bytes; at += 4 * step) {
    const std::byte* first = sources.at[0] + at;
    auto all0 = Lanes::load(first);
    auto all1 = Lanes::load(first + step);
    auto all2 = Lanes::load(first + 2 * step);
    auto all3 = Lanes::load(first + 3 * step);
    for (std::size_t i = 1; i < sources.count; ++i) {
      const std::byte* next = sources.at[i] + at;
      all0 = Operation::combined(all0, Lanes::load(next));
      all1 = Operation::combined(all1, Lanes::load(next + step));
      all2 = Operation::combined(all2, Lanes::load(next + 2 * step));
      all3 = Operation::combined(all3, Lanes::load(next + 3 * step));
    }
    all0 = sink.finished(all0);
    all1 = sink.finished(all1);
    all2 = sink.finished(all2);
    all3 = sink.finished(all3);
    for (std::size_t i = 0; i < sink.target_count; ++i) {
      std::byte* target = sink.targets[i] + at;
      Lanes::store(all0, target);
      Lanes::store(all1, target + step);
      Lanes::store(all2, target + 2 * step);
      Lanes::store(all3, target + 3 * step);
    }
  }
  for (; at + step <= bytes; at += step) fold_vector<Lanes, Operation>(sink, sources, at);
  fold_tail<Lanes, Operation>(sink, sources, at, bytes);
}

template <typename Lanes, typename Operation>
void fold_as(const FoldCall& call) {
  fold_lanes<Lanes, Operation>({call.targets.data(), call.targets.size(), call.divisor},
                               {call.sources.data(), call.sources.size()}, call.bytes);
}

}  // namespace trireme::exec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
