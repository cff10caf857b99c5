#include "optim/rule.h"

#include <cassert>
#include <cmath>

#include "base/types.h"
#include "optim/rule_kernels.h"
#include "optim/steady_math.h"

namespace trireme::optim {
namespace {

bool has_second_moment(RuleKind kind) {
  return kind == RuleKind::kAdam || kind == RuleKind::kAdamW || kind == RuleKind::kLamb;
}

bool has_momentum(RuleKind kind) {
  return kind == RuleKind::kMomentum || kind == RuleKind::kNesterov || kind == RuleKind::kLars ||
         kind == RuleKind::kMuon;
}

bool has_first_moment(RuleKind kind) {
  return has_second_moment(kind) || has_momentum(kind) || kind == RuleKind::kLion;
}

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
  if (reach(spec_, shape_) == Reach::kElement) return apply(weights, gradients, 0, step);
}

Measure UpdateRule::measure(std::span<const float>, std::span<const float>) { return {}; }

void UpdateRule::apply_tensor(std::span<float>, std::span<const float>, const UpdateStep&, const Measure&) {}

std::vector<RuleState> UpdateRule::state() {
  if (has_second_moment(applied_.kind)) return {{"exp_avg", first_moment_}, {"exp_avg_sq", second_moment_}};
  if (has_momentum(applied_.kind)) return {{"momentum_buffer", first_moment_}};
  if (has_first_moment(applied_.kind)) return {{"exp_avg", first_moment_}};
  return {};
}

}  // namespace trireme::optim
