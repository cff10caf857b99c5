#include "optim/reach.h"

#include <cassert>
#include <functional>
#include <numeric>

namespace trireme::optim {

TensorShape shape_of(std::span<const std::int64_t> sizes) {
  const std::int64_t count =
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  if (sizes.size() < 2) return vector_of(count);
  return {.rows = sizes[0], .columns = sizes[0] == 0 ? 0 : count / sizes[0], .is_matrix = true};
}

TensorShape vector_of(std::int64_t count) {
  assert(count >= 0);
  return {.rows = count, .columns = 1, .is_matrix = false};
}

RuleSpec rule_for(const RuleSpec& spec, const TensorShape& shape) {
  RuleSpec rule = spec;
  if (shape.is_matrix) return rule;
  if (spec.kind == RuleKind::kSteepestSpectral && !spec.whole_model) rule.kind = RuleKind::kSteepestL2;
  if (spec.kind == RuleKind::kMuon) {
    rule.kind = RuleKind::kAdamW;
    rule.rate *= spec.vector_rate;
  }
  return rule;
}

Reach reach(const RuleSpec& spec, const TensorShape& shape) {
  switch (rule_for(spec, shape).kind) {
    case RuleKind::kSgd:
    case RuleKind::kMomentum:
    case RuleKind::kNesterov:
    case RuleKind::kAdam:
    case RuleKind::kAdamW:
    case RuleKind::kSignSgd:
    case RuleKind::kLion:
    case RuleKind::kSteepestL2:
      return Reach::kElement;
    case RuleKind::kMuon:
    case RuleKind::kLamb:
    case RuleKind::kLars:
      return Reach::kTensor;
    case RuleKind::kSteepestLinf:
    case RuleKind::kSteepestL1:
    case RuleKind::kSteepestLp:
    case RuleKind::kSteepestSpectral:
      break;
  }
  return spec.whole_model ? Reach::kModel : Reach::kTensor;
}

}  // namespace trireme::optim
