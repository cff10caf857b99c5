// Loops over vectors as wide as the processor has. IEEE 754 rounds every operation in them, in a vector of
// any width as in a scalar. Streaming stores and prefetching were tried and are slower: every array that is
// written has been read just before, and the processor sees by itself what is read next.
#include "optim/rule_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optim/rule_kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <cassert>

HWY_BEFORE_NAMESPACE();
namespace trireme::optim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

enum class Decay { kNone, kAddedToGradient, kShrinksWeights };

// The d of the formulas.
template <Decay kDecay, typename D, typename V = hn::Vec<D>>
HWY_INLINE V decayed(D d, const RuleScalars& s, V g, V w) {
  if constexpr (kDecay != Decay::kAddedToGradient) return g;
  return hn::Add(g, hn::Mul(hn::Set(d, s.weight_decay), w));
}

template <Decay kDecay, typename D, typename V = hn::Vec<D>>
HWY_INLINE V shrunk(D d, const RuleScalars& s, V w) {
  if constexpr (kDecay != Decay::kShrinksWeights) return w;
  return hn::Mul(w, hn::Set(d, s.shrink));
}

// −1, 1, or the number itself if it is 0 or NaN.
template <typename D, typename V = hn::Vec<D>>
HWY_INLINE V sign(D d, V v) {
  const V negative = hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Set(d, -1.0F), v);
  return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), hn::Set(d, 1.0F), negative);
}

// What each rule does to a vector of weights, gradients and moments. `kMoments`: how many moments it has.

template <Decay kDecay, bool kSign>
struct Sgd {
  static constexpr int kMoments = 0;
  template <typename D, typename V = hn::Vec<D>>
  static HWY_INLINE void step(D d, const RuleScalars& s, V& w, V g, V&, V&) {
    V direction = decayed<kDecay>(d, s, g, w);
    if constexpr (kSign) direction = sign(d, direction);
    w = hn::Add(w, hn::Mul(hn::Set(d, s.minus_rate), direction));
  }
};

template <Decay kDecay, bool kNesterov>
struct Momentum {
  static constexpr int kMoments = 1;
  template <typename D, typename V = hn::Vec<D>>
  static HWY_INLINE void step(D d, const RuleScalars& s, V& w, V g, V& m, V&) {
    const V momentum = hn::Set(d, s.momentum);
    const V total = decayed<kDecay>(d, s, g, w);
    m = hn::Add(hn::Mul(momentum, m), total);
    V direction = m;
    if constexpr (kNesterov) direction = hn::Add(total, hn::Mul(momentum, m));
    w = hn::Add(w, hn::Mul(hn::Set(d, s.minus_rate), direction));
  }
};

template <Decay kDecay>
struct Adam {
  static constexpr int kMoments = 2;
  template <typename D, typename V = hn::Vec<D>>
  static HWY_INLINE void step(D d, const RuleScalars& s, V& w, V g, V& m, V& v) {
    const V total = decayed<kDecay>(d, s, g, w);
    m = hn::Add(hn::Mul(hn::Set(d, s.beta1), m), hn::Mul(hn::Set(d, s.one_minus_beta1), total));
    v = hn::Add(hn::Mul(hn::Set(d, s.beta2), v),
                hn::Mul(hn::Mul(hn::Set(d, s.one_minus_beta2), total), total));
    const V root = hn::Div(hn::Sqrt(v), hn::Set(d, s.root_correction2));
    const V divisor = hn::Add(root, hn::Set(d, s.epsilon));
    const V dividend = hn::Mul(hn::Set(d, s.minus_step_size), m);
    w = hn::Add(shrunk<kDecay>(d, s, w), hn::Div(dividend, divisor));
  }
};

struct Lion {
  static constexpr int kMoments = 1;
  template <typename D, typename V = hn::Vec<D>>
  static HWY_INLINE void step(D d, const RuleScalars& s, V& w, V g, V& m, V&) {
    const V mixed = hn::Add(hn::Mul(hn::Set(d, s.beta1), m), hn::Mul(hn::Set(d, s.one_minus_beta1), g));
    m = hn::Add(hn::Mul(hn::Set(d, s.beta2), m), hn::Mul(hn::Set(d, s.one_minus_beta2), g));
    w = hn::Add(shrunk<Decay::kShrinksWeights>(d, s, w), hn::Mul(hn::Set(d, s.minus_rate), sign(d, mixed)));
  }
};

template <typename Rule, typename D>
HWY_INLINE void step_at(D d, const RuleScalars& s, const RuleRange& range, std::size_t at) {
  auto w = hn::LoadU(d, range.weights + at);
  auto m = hn::Zero(d);
  auto v = hn::Zero(d);
  if constexpr (Rule::kMoments > 0) m = hn::LoadU(d, range.first_moment + at);
  if constexpr (Rule::kMoments > 1) v = hn::LoadU(d, range.second_moment + at);
  Rule::step(d, s, w, hn::LoadU(d, range.gradients + at), m, v);
  hn::StoreU(w, d, range.weights + at);
  if constexpr (Rule::kMoments > 0) hn::StoreU(m, d, range.first_moment + at);
  if constexpr (Rule::kMoments > 1) hn::StoreU(v, d, range.second_moment + at);
}

// Here the scalars are passed by value: no store can change them, so they stay in registers.
template <typename Rule>
void update_all(const RuleScalars s, const RuleRange range) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t at = 0;
  for (; at + lanes <= range.count; at += lanes) step_at<Rule>(wide, s, range, at);
  for (; at < range.count; ++at) step_at<Rule>(one, s, range, at);
}

template <Decay kDecay>
void update_with(RuleKind kind, const RuleScalars& scalars, const RuleRange& range) {
  switch (kind) {
    case RuleKind::kSgd:
    case RuleKind::kSteepestL2:
      return update_all<Sgd<kDecay, false>>(scalars, range);
    case RuleKind::kSignSgd:
      return update_all<Sgd<kDecay, true>>(scalars, range);
    case RuleKind::kMomentum:
      return update_all<Momentum<kDecay, false>>(scalars, range);
    case RuleKind::kNesterov:
      return update_all<Momentum<kDecay, true>>(scalars, range);
    case RuleKind::kAdam:
      return update_all<Adam<kDecay>>(scalars, range);
    case RuleKind::kAdamW:
      return update_all<Adam<Decay::kShrinksWeights>>(scalars, range);
    case RuleKind::kLion:
      return update_all<Lion>(scalars, range);
    default:
      assert(false);  // updates no element by itself
      return;
  }
}

void update_elements(RuleKind kind, const RuleScalars& scalars, const RuleRange& range) {
  if (scalars.weight_decay == 0) return update_with<Decay::kNone>(kind, scalars, range);
  update_with<Decay::kAddedToGradient>(kind, scalars, range);
}

}  // namespace trireme::optim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trireme::optim {

HWY_EXPORT(update_elements);

void update(RuleKind kind, const RuleScalars& scalars, const RuleRange& range) {
  HWY_DYNAMIC_DISPATCH(update_elements)(kind, scalars, range);
}

}  // namespace trireme::optim
#endif  // HWY_ONCE
