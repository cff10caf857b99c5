#include "optim/rule_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trireme {
inline namespace TRIREME_ABI {
namespace {

struct Name {
  RuleKind kind;
  std::string_view text;
};

constexpr std::array<Name, 15> kNames = {{
    {RuleKind::kSgd, "sgd"},
    {RuleKind::kMomentum, "momentum"},
    {RuleKind::kNesterov, "nesterov"},
    {RuleKind::kAdam, "adam"},
    {RuleKind::kAdamW, "adamw"},
    {RuleKind::kSignSgd, "signsgd"},
    {RuleKind::kLion, "lion"},
    {RuleKind::kMuon, "muon"},
    {RuleKind::kLamb, "lamb"},
    {RuleKind::kLars, "lars"},
    {RuleKind::kSteepestL2, "steepest:l2"},
    {RuleKind::kSteepestLinf, "steepest:linf"},
    {RuleKind::kSteepestL1, "steepest:l1"},
    {RuleKind::kSteepestLp, "steepest:lp"},
    {RuleKind::kSteepestSpectral, "steepest:spectral"},
}};

constexpr auto kRuleKinds = [] {
  std::array<RuleKind, kNames.size()> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kNames[i].kind;
  return kinds;
}();

bool has_second_moment(RuleKind kind) {
  return kind == RuleKind::kAdam || kind == RuleKind::kAdamW || kind == RuleKind::kLamb ||
         kind == RuleKind::kMuon;
}

bool has_momentum(RuleKind kind) {
  return kind == RuleKind::kMomentum || kind == RuleKind::kNesterov || kind == RuleKind::kLars ||
         kind == RuleKind::kMuon;
}

void check_not_negative(std::string_view what, double value) {
  if (std::isfinite(value) && value >= 0) return;
  throw bad_input(fmt::format("the {} is {}", what, value), "it must be a number that is not negative");
}

void check_momentum(const RuleSpec& spec) {
  if (spec.momentum > 0 && spec.momentum < 1) return;
  const bool alone = spec.kind == RuleKind::kMomentum || spec.kind == RuleKind::kNesterov;
  throw bad_input(fmt::format("the momentum is {}", spec.momentum),
                  fmt::format("it must be more than 0 and less than 1{}",
                              alone ? "; the rule without momentum is sgd" : ""));
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

void check_moments(const RuleSpec& spec) {
  check_beta("beta1", spec.beta1);
  check_beta("beta2", spec.beta2);
  if (uses(spec.kind, &RuleSpec::epsilon)) check_epsilon(spec.epsilon);
}

void check_phi(double least, double most) {
  check_not_negative("least norm of weights (phi_least)", least);
  if (most >= least && most > 0) return;
  throw bad_input(fmt::format("the greatest norm of weights (phi_most) is {}", most),
                  fmt::format("it must be a positive number, at least {}", least));
}

void check_p(double p) {
  if (std::isfinite(p) && p > 1) return;
  throw bad_input(
      fmt::format("p of steepest:lp is {}", p),
      "it must be a number greater than 1; for 1 and infinity take steepest:l1 and steepest:linf");
}

double parse_p(std::string_view text, std::string_view rule) {
  double p = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), p);
  if (error == std::errc() && end == text.data() + text.size()) return p;
  throw bad_input(fmt::format("'{}' says no p", printable(rule)),
                  "write a number greater than 1, as in steepest:lp=3");
}

}  // namespace

RuleSpec default_rule(RuleKind kind) {
  RuleSpec spec{.kind = kind};
  switch (kind) {
    case RuleKind::kAdam:
    case RuleKind::kSignSgd:
      spec.rate = 0.001;
      break;
    case RuleKind::kAdamW:
      spec.rate = 0.001;
      spec.weight_decay = 0.01;
      break;
    case RuleKind::kLion:
      spec.rate = 0.0001;
      spec.beta2 = 0.99;
      break;
    case RuleKind::kMuon:
      spec.rate = 0.02;
      spec.momentum = 0.95;
      spec.beta2 = 0.95;
      spec.epsilon = 1e-10;
      spec.weight_decay = 0.01;
      break;
    case RuleKind::kLamb:
      spec.rate = 0.001;
      spec.epsilon = 1e-6;
      spec.weight_decay = 0.01;
      break;
    case RuleKind::kLars:
      spec.rate = 0.1;
      spec.weight_decay = 0.0005;
      break;
    case RuleKind::kSteepestL2:
      spec.rate = 0.02;
      break;
    case RuleKind::kSteepestLinf:
      spec.rate = 0.00005;
      break;
    case RuleKind::kSteepestL1:
      spec.rate = 1;
      break;
    case RuleKind::kSteepestLp:
    case RuleKind::kSteepestSpectral:
      spec.rate = 0.03;
      break;
    default:
      break;
  }
  return spec;
}

std::string_view name(RuleKind kind) {
  for (const Name& one : kNames) {
    if (one.kind == kind) return one.text;
  }
  return "";
}

std::string name(const RuleSpec& spec) {
  std::string text(name(spec.kind));
  if (uses(spec.kind, &RuleSpec::p)) text += fmt::format("={}", spec.p);
  return text;
}

std::span<const RuleKind> all_rule_kinds() { return kRuleKinds; }

RuleKind parse_rule_kind(std::string_view text) {
  std::vector<std::string_view> known;
  for (const Name& one : kNames) {
    if (one.text == text) return one.kind;
    known.push_back(one.text);
  }
  throw bad_input(fmt::format("unknown update rule '{}'", printable(text)),
                  fmt::format("give one of {}", fmt::join(known, ", ")));
}

RuleSpec parse_rule(std::string_view text) {
  constexpr std::string_view kWithP = "steepest:lp=";
  if (!text.starts_with(kWithP)) return default_rule(parse_rule_kind(text));
  RuleSpec spec = default_rule(RuleKind::kSteepestLp);
  spec.p = parse_p(text.substr(kWithP.size()), text);
  check_p(spec.p);
  return spec;
}

bool uses(RuleKind kind, double RuleSpec::*number) {
  if (number == &RuleSpec::rate || number == &RuleSpec::weight_decay) return true;
  if (number == &RuleSpec::momentum) return has_momentum(kind);
  if (number == &RuleSpec::beta1 || number == &RuleSpec::beta2)
    return has_second_moment(kind) || kind == RuleKind::kLion;
  if (number == &RuleSpec::epsilon) return has_second_moment(kind);
  if (number == &RuleSpec::p) return kind == RuleKind::kSteepestLp;
  if (number == &RuleSpec::trust) return kind == RuleKind::kLars;
  if (number == &RuleSpec::vector_rate) return kind == RuleKind::kMuon;
  return kind == RuleKind::kLamb;  // the bounds of φ
}

void check(const RuleSpec& spec) {
  check_not_negative("learning rate", spec.rate);
  check_not_negative("weight decay", spec.weight_decay);
  if (uses(spec.kind, &RuleSpec::momentum)) check_momentum(spec);
  if (uses(spec.kind, &RuleSpec::beta1)) check_moments(spec);
  if (uses(spec.kind, &RuleSpec::p)) check_p(spec.p);
  if (uses(spec.kind, &RuleSpec::trust)) check_not_negative("trust coefficient", spec.trust);
  if (uses(spec.kind, &RuleSpec::phi_most)) check_phi(spec.phi_least, spec.phi_most);
  if (uses(spec.kind, &RuleSpec::vector_rate))
    check_not_negative("factor of the rate for vectors", spec.vector_rate);
}

}  // namespace TRIREME_ABI
}  // namespace trireme
