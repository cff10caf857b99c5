// Plain loops that the compiler vectorizes; CMakeLists.txt allows this for square roots too. IEEE 754 rounds
// every operation in them, in a vector as in a scalar. Wider vectors, chosen at run time, gained 6 to 22 % on
// a million weights and little on more, where memory is the limit: not worth a second version of the loops.
#include "optim/rule_kernels.h"

#include <cmath>

namespace trireme::optim {
namespace {

enum class Decay { kNone, kAddedToGradient, kShrinksWeights };

// The d of the formulas.
template <Decay kDecay>
float decayed(float gradient, float weight, const RuleScalars& s) {
  return kDecay == Decay::kAddedToGradient ? gradient + s.weight_decay * weight : gradient;
}

// Here and below the scalars are passed by value: no store can change them, so they stay in registers.
template <Decay kDecay>
void update_sgd(const RuleScalars s, const RuleRange& range) {
  float* __restrict w = range.weights;
  const float* __restrict g = range.gradients;
  for (std::size_t i = 0; i < range.count; ++i) w[i] += s.minus_rate * decayed<kDecay>(g[i], w[i], s);
}

template <Decay kDecay, bool kNesterov>
void update_momentum(const RuleScalars s, const RuleRange& range) {
  float* __restrict w = range.weights;
  float* __restrict m = range.first_moment;
  const float* __restrict g = range.gradients;
  for (std::size_t i = 0; i < range.count; ++i) {
    const float d = decayed<kDecay>(g[i], w[i], s);
    m[i] = s.momentum * m[i] + d;
    w[i] += s.minus_rate * (kNesterov ? d + s.momentum * m[i] : m[i]);
  }
}

template <Decay kDecay>
void update_adam(const RuleScalars s, const RuleRange& range) {
  float* __restrict w = range.weights;
  float* __restrict m = range.first_moment;
  float* __restrict v = range.second_moment;
  const float* __restrict g = range.gradients;
  for (std::size_t i = 0; i < range.count; ++i) {
    const float d = decayed<kDecay>(g[i], w[i], s);
    m[i] = s.beta1 * m[i] + s.one_minus_beta1 * d;
    v[i] = s.beta2 * v[i] + s.one_minus_beta2 * d * d;
    const float divisor = std::sqrt(v[i]) / s.root_correction2 + s.epsilon;
    const float weight = kDecay == Decay::kShrinksWeights ? w[i] * s.shrink : w[i];
    w[i] = weight + s.minus_step_size * m[i] / divisor;
  }
}

template <Decay kDecay>
void update_with(RuleKind kind, const RuleScalars& scalars, const RuleRange& range) {
  switch (kind) {
    case RuleKind::kSgd:
      return update_sgd<kDecay>(scalars, range);
    case RuleKind::kMomentum:
      return update_momentum<kDecay, false>(scalars, range);
    case RuleKind::kNesterov:
      return update_momentum<kDecay, true>(scalars, range);
    case RuleKind::kAdam:
      return update_adam<kDecay>(scalars, range);
    case RuleKind::kAdamW:
      return update_adam<Decay::kShrinksWeights>(scalars, range);
    default:
      return;
  }
}

}  // namespace

void update(RuleKind kind, const RuleScalars& scalars, const RuleRange& range) {
  if (scalars.weight_decay == 0) return update_with<Decay::kNone>(kind, scalars, range);
  update_with<Decay::kAddedToGradient>(kind, scalars, range);
}

}  // namespace trireme::optim
