#include "optim/rule.h"

#include <cassert>
#include <cmath>

#include "base/types.h"
#include "optim/rule_kernels.h"
#include "optim/steady_math.h"

namespace trireme::optim {
namespace {

bool has_first_moment(RuleKind kind) { return kind != RuleKind::kSgd; }

bool has_second_moment(RuleKind kind) { return kind == RuleKind::kAdam || kind == RuleKind::kAdamW; }

float rounded(double value) { return static_cast<float>(value); }

RuleScalars scalars(const RuleSpec& spec, const UpdateStep& step) {
  const double correction1 = 1 - integer_power(spec.beta1, step.number);
  const double correction2 = 1 - integer_power(spec.beta2, step.number);
  return {
      .minus_rate = rounded(-step.rate),
      .weight_decay = rounded(spec.weight_decay),
      .shrink = rounded(1 - step.rate * spec.weight_decay),
      .momentum = rounded(spec.momentum),
      .beta1 = rounded(spec.beta1),
      .one_minus_beta1 = rounded(1 - spec.beta1),
      .beta2 = rounded(spec.beta2),
      .one_minus_beta2 = rounded(1 - spec.beta2),
      .minus_step_size = rounded(-(step.rate / correction1)),
      .root_correction2 = rounded(std::sqrt(correction2)),
      .epsilon = rounded(spec.epsilon),
  };
}

// The state from element `first` on; empty for a rule without this state.
float* state_at(std::vector<float>& state, std::int64_t first) {
  return state.empty() ? nullptr : state.data() + first;
}

}  // namespace

UpdateRule::UpdateRule(const RuleSpec& spec, std::int64_t count) : spec_(spec), count_(count) {
  check(spec);
  assert(count >= 0);
  if (has_second_moment(spec.kind)) second_moment_.resize(idx(count));
  if (has_first_moment(spec.kind))
    first_moment_.resize(idx(count), has_second_moment(spec.kind) ? 0.0F : -0.0F);
}

void UpdateRule::apply(std::span<float> weights, std::span<const float> gradients, std::int64_t first,
                       const UpdateStep& step) {
  assert(weights.size() == gradients.size());
  assert(first >= 0 && first <= count_ && weights.size() <= idx(count_ - first));
  assert(step.number >= 1 && std::isfinite(step.rate));
  update(spec_.kind, scalars(spec_, step),
         {.weights = weights.data(),
          .gradients = gradients.data(),
          .first_moment = state_at(first_moment_, first),
          .second_moment = state_at(second_moment_, first),
          .count = weights.size()});
}

std::vector<RuleState> UpdateRule::state() {
  if (has_second_moment(spec_.kind)) return {{"exp_avg", first_moment_}, {"exp_avg_sq", second_moment_}};
  if (has_first_moment(spec_.kind)) return {{"momentum_buffer", first_moment_}};
  return {};
}

}  // namespace trireme::optim
