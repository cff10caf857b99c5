#include "optim/rule_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trireme {
inline namespace TRIREME_ABI {
namespace {

constexpr std::array<RuleKind, 5> kRuleKinds = {RuleKind::kSgd, RuleKind::kMomentum, RuleKind::kNesterov,
                                                RuleKind::kAdam, RuleKind::kAdamW};

bool has_momentum(RuleKind kind) { return kind == RuleKind::kMomentum || kind == RuleKind::kNesterov; }

bool has_moments(RuleKind kind) { return kind == RuleKind::kAdam || kind == RuleKind::kAdamW; }

void check_not_negative(std::string_view what, double value) {
  if (std::isfinite(value) && value >= 0) return;
  throw bad_input(fmt::format("the {} is {}", what, value), "it must be a number that is not negative");
}

void check_momentum(double momentum) {
  if (momentum > 0 && momentum < 1) return;
  throw bad_input(fmt::format("the momentum is {}", momentum),
                  "it must be more than 0 and less than 1; the rule without momentum is sgd");
}

void check_beta(std::string_view what, double beta) {
  if (beta >= 0 && beta < 1) return;
  throw bad_input(fmt::format("{} is {}", what, beta), "it must be at least 0 and less than 1");
}

// In float32 a smaller epsilon is 0, and 0 divided by it is NaN.
void check_epsilon(double epsilon) {
  if (std::isfinite(epsilon) && static_cast<float>(epsilon) > 0) return;
  throw bad_input(fmt::format("epsilon is {}", epsilon),
                  "it must be a positive number that float32 can hold");
}

}  // namespace

RuleSpec default_rule(RuleKind kind) {
  RuleSpec spec{.kind = kind};
  if (has_moments(kind)) spec.rate = 0.001;
  if (kind == RuleKind::kAdamW) spec.weight_decay = 0.01;
  return spec;
}

std::string_view name(RuleKind kind) {
  switch (kind) {
    case RuleKind::kSgd:
      return "sgd";
    case RuleKind::kMomentum:
      return "momentum";
    case RuleKind::kNesterov:
      return "nesterov";
    case RuleKind::kAdam:
      return "adam";
    case RuleKind::kAdamW:
      return "adamw";
  }
  return "";
}

std::span<const RuleKind> all_rule_kinds() { return kRuleKinds; }

RuleKind parse_rule_kind(std::string_view text) {
  std::vector<std::string_view> known;
  for (const RuleKind kind : kRuleKinds) {
    if (name(kind) == text) return kind;
    known.push_back(name(kind));
  }
  throw bad_input(fmt::format("unknown update rule '{}'", printable(text)),
                  fmt::format("give one of {}", fmt::join(known, ", ")));
}

void check(const RuleSpec& spec) {
  check_not_negative("learning rate", spec.rate);
  check_not_negative("weight decay", spec.weight_decay);
  if (has_momentum(spec.kind)) check_momentum(spec.momentum);
  if (!has_moments(spec.kind)) return;
  check_beta("beta1", spec.beta1);
  check_beta("beta2", spec.beta2);
  check_epsilon(spec.epsilon);
}

}  // namespace TRIREME_ABI
}  // namespace trireme
