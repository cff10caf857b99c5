#include "optim/rule.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/types.h"
#include "optim/norm.h"
#include "optim/orthogonal.h"
#include "optim/rule_kernels.h"
#include "optim/steady_math.h"

namespace trireme::optim {
namespace {

bool has_momentum(RuleKind kind) { return uses(kind, &RuleSpec::momentum); }

bool has_first_moment(RuleKind kind) { return uses(kind, &RuleSpec::beta1) || has_momentum(kind); }

bool has_second_moment(RuleKind kind) { return uses(kind, &RuleSpec::epsilon) && !has_momentum(kind); }

float rounded(double value) { return static_cast<float>(value); }

RuleScalars scalars(const RuleSpec& spec, const UpdateStep& step) {
  const double rate = spec.kind == RuleKind::kSteepestL2 ? step.rate / 2 : step.rate;
  const double correction1 = 1 - integer_power(spec.beta1, step.number);
  const double correction2 = 1 - integer_power(spec.beta2, step.number);
  return {
      .minus_rate = rounded(-rate),
      .weight_decay = rounded(spec.weight_decay),
      .shrink = rounded(1 - rate * spec.weight_decay),
      .momentum = rounded(spec.momentum),
      .beta1 = rounded(spec.beta1),
      .one_minus_beta1 = rounded(1 - spec.beta1),
      .beta2 = rounded(spec.beta2),
      .one_minus_beta2 = rounded(1 - spec.beta2),
      .minus_step_size = rounded(-(rate / correction1)),
      .root_correction2 = rounded(std::sqrt(correction2)),
      .epsilon = rounded(spec.epsilon),
  };
}

// The state from element `first` on; empty for a rule without this state.
float* state_at(std::vector<float>& state, std::int64_t first) {
  return state.empty() ? nullptr : state.data() + first;
}

}  // namespace

UpdateRule::UpdateRule(const RuleSpec& spec, const TensorShape& shape)
    : spec_(spec), applied_(rule_for(spec, shape)), shape_(shape) {
  check(spec);
  const std::size_t count = idx(shape.count());
  if (has_second_moment(applied_.kind)) second_moment_.resize(count);
  if (has_first_moment(applied_.kind))
    first_moment_.resize(count, has_momentum(applied_.kind) ? -0.0F : 0.0F);
}

UpdateStep UpdateRule::scaled(const UpdateStep& step) const {
  const bool is_another = spec_.kind == RuleKind::kMuon && applied_.kind != spec_.kind;
  return {.number = step.number, .rate = is_another ? step.rate * spec_.vector_rate : step.rate};
}

void UpdateRule::apply(std::span<float> weights, std::span<const float> gradients, std::int64_t first,
                       const UpdateStep& step) {
  assert(reach(spec_, shape_) == Reach::kElement);
  assert(weights.size() == gradients.size());
  assert(first >= 0 && first <= shape_.count() && weights.size() <= idx(shape_.count() - first));
  assert(step.number >= 1 && std::isfinite(step.rate));
  update(applied_.kind, scalars(applied_, scaled(step)),
         {.weights = weights.data(),
          .gradients = gradients.data(),
          .first_moment = state_at(first_moment_, first),
          .second_moment = state_at(second_moment_, first),
          .count = weights.size()});
}

void UpdateRule::apply_tensor(std::span<float> weights, std::span<const float> gradients,
                              const UpdateStep& step) {
  assert(reach(spec_, shape_) != Reach::kModel);
  switch (applied_.kind) {
    case RuleKind::kLars:
      return apply_lars(weights, gradients, step);
    case RuleKind::kLamb:
      return apply_lamb(weights, gradients, step);
    case RuleKind::kMuon:
      return apply_muon(weights, gradients, step);
    case RuleKind::kSteepestLinf:
    case RuleKind::kSteepestL1:
    case RuleKind::kSteepestLp:
    case RuleKind::kSteepestSpectral:
      measure_tensor(weights, gradients);
      return apply_direction(weights, step, own_);
    default:
      return apply(weights, gradients, 0, step);
  }
}

Measure UpdateRule::measure(std::span<const float> weights, std::span<const float> gradients) {
  assert(reach(spec_, shape_) == Reach::kModel);
  measure_tensor(weights, gradients);
  return own_;
}

void UpdateRule::apply_tensor(std::span<float> weights, [[maybe_unused]] std::span<const float> gradients,
                              const UpdateStep& step, const Measure& of_model) {
  assert(reach(spec_, shape_) == Reach::kModel && weights.size() == gradients.size());
  apply_direction(weights, step, of_model);
}

void UpdateRule::measure_tensor(std::span<const float> weights, std::span<const float> gradients) {
  take_decayed(weights, gradients);
  own_ = into_direction(applied_, shape_, direction_);
}

void UpdateRule::apply_direction(std::span<float> weights, const UpdateStep& step, const Measure& of_model) {
  const float factor = direction_factor(applied_, step.rate, own_, of_model);
  if (applied_.kind == RuleKind::kSteepestL1) {
    if (of_model.index >= 0) weights[idx(of_model.index)] += factor * direction_[idx(of_model.index)];
    return;
  }
  move(weights, factor);
}

void UpdateRule::apply_lars(std::span<float> weights, std::span<const float> gradients,
                            const UpdateStep& step) {
  const double of_weights = frobenius_norm(weights);
  const double of_gradients = frobenius_norm(gradients);
  double trust = 1;
  if (of_weights != 0 && of_gradients != 0)
    trust = spec_.trust * of_weights / (of_gradients + spec_.weight_decay * of_weights);
  take_decayed(weights, gradients);
  const float local = rounded(step.rate * trust);
  for (float& value : direction_) value *= local;
  update(RuleKind::kMomentum, {.minus_rate = -1, .momentum = rounded(spec_.momentum)},
         {.weights = weights.data(),
          .gradients = direction_.data(),
          .first_moment = first_moment_.data(),
          .count = weights.size()});
}

void UpdateRule::apply_lamb(std::span<float> weights, std::span<const float> gradients,
                            const UpdateStep& step) {
  direction_.resize(weights.size());
  const float decay = rounded(spec_.weight_decay);
  for (std::size_t i = 0; i < weights.size(); ++i) direction_[i] = decay * weights[i];
  // Adam's update with a rate of −1, added to that.
  RuleScalars upwards = scalars(spec_, {.number = step.number, .rate = -1});
  upwards.weight_decay = 0;
  update(RuleKind::kAdam, upwards,
         {.weights = direction_.data(),
          .gradients = gradients.data(),
          .first_moment = first_moment_.data(),
          .second_moment = second_moment_.data(),
          .count = weights.size()});
  const double of_weights = frobenius_norm(weights);
  const double of_update = frobenius_norm(direction_);
  double trust = 1;
  if (of_weights != 0 && of_update != 0)
    trust = std::clamp(of_weights, spec_.phi_least, spec_.phi_most) / of_update;
  move(weights, rounded(-(step.rate * trust)));
}

void UpdateRule::apply_muon(std::span<float> weights, std::span<const float> gradients,
                            const UpdateStep& step) {
  direction_.assign(weights.size(), 0);
  update(RuleKind::kNesterov, {.minus_rate = 1, .momentum = rounded(spec_.momentum)},
         {.weights = direction_.data(),
          .gradients = gradients.data(),
          .first_moment = first_moment_.data(),
          .count = weights.size()});
  orthogonalize_roughly({direction_, idx(shape_.rows), idx(shape_.columns)});
  scale(weights, rounded(1 - step.rate * spec_.weight_decay));
  const double ratio = static_cast<double>(shape_.rows) / static_cast<double>(shape_.columns);
  move(weights, rounded(-(step.rate * std::sqrt(std::max(1.0, ratio)))));
}

// direction ← g + weight_decay·w
void UpdateRule::take_decayed(std::span<const float> weights, std::span<const float> gradients) {
  assert(weights.size() == gradients.size() && std::ssize(weights) == shape_.count());
  direction_.assign(gradients.begin(), gradients.end());
  if (spec_.weight_decay == 0) return;
  const float decay = rounded(spec_.weight_decay);
  for (std::size_t i = 0; i < weights.size(); ++i) direction_[i] += decay * weights[i];
}

// w ← w + factor·direction
void UpdateRule::move(std::span<float> weights, float factor) {
  update(RuleKind::kSgd, {.minus_rate = factor},
         {.weights = weights.data(), .gradients = direction_.data(), .count = weights.size()});
}

std::vector<RuleState> UpdateRule::state() {
  if (has_second_moment(applied_.kind)) return {{"exp_avg", first_moment_}, {"exp_avg_sq", second_moment_}};
  if (has_momentum(applied_.kind)) return {{"momentum_buffer", first_moment_}};
  if (has_first_moment(applied_.kind)) return {{"exp_avg", first_moment_}};
  return {};
}

}  // namespace trireme::optim
