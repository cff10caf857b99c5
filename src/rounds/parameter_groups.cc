#include "rounds/parameter_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/types.h"

namespace trireme::rounds {
namespace {

std::string some_of(std::span<const std::string> names) {
  constexpr std::size_t kMost = 12;
  if (names.empty()) return "there are no parameters";
  std::string list;
  for (const std::string& name : names.first(std::min(kMost, names.size()))) {
    list += (list.empty() ? "" : ", ") + printable(name);
  }
  if (names.size() > kMost) list += fmt::format(" and {} more", names.size() - kMost);
  return "the parameters are " + list;
}

void check_group(const ParameterGroup& group) {
  const std::string whose = fmt::format("the parameter group \"{}\"", printable(group.match));
  if (!std::isfinite(group.rate_factor) || group.rate_factor < 0) {
    throw bad_input(fmt::format("{} has {} times the rate", whose, group.rate_factor),
                    "the factor must be a number that is not negative");
  }
  RuleSpec rule = group.rule.value_or(RuleSpec{});
  rule.weight_decay = group.weight_decay.value_or(rule.weight_decay);
  try {
    trireme::check(rule);
  } catch (const Error& error) {
    throw bad_input(fmt::format("{}: {}", whose, error.failure().what), error.failure().hint);
  }
}

}  // namespace

// Where a part after a star fails, that star takes one character more. Earlier ones need no other try.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;     // in the pattern
  std::size_t taken = 0;  // of the name
  std::size_t star = std::string_view::npos;
  std::size_t by_star = 0;  // where the last star's characters end
  while (taken < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      by_star = taken;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == name[taken])) {
      ++at;
      ++taken;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      taken = ++by_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

ParameterGroups::ParameterGroups(std::vector<ParameterGroup> groups, std::span<const std::string> names)
    : groups_(std::move(groups)), group_of_(names.size(), kNone) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    check_group(groups_[i]);
    bool any = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!matches(groups_[i].match, names[k])) continue;
      any = true;
      group_of_[k] = static_cast<std::int64_t>(i);
    }
    if (any) continue;
    throw bad_input(
        fmt::format("the parameter group \"{}\" matches no parameter", printable(groups_[i].match)),
        some_of(names));
  }
}

RuleSpec ParameterGroups::rule_of(std::size_t parameter, const RuleSpec& of_step) const {
  if (group_of_[parameter] == kNone) return of_step;
  const ParameterGroup& group = groups_[idx(group_of_[parameter])];
  RuleSpec rule = group.rule.value_or(of_step);
  rule.rate = of_step.rate * group.rate_factor;
  rule.weight_decay = group.weight_decay.value_or(rule.weight_decay);
  return rule;
}

std::string rule_in_words(const RuleSpec& rule) {
  struct Number {
    std::string_view name;
    double RuleSpec::*number;
  };
  constexpr Number kNumbers[] = {
      {"momentum", &RuleSpec::momentum}, {"beta1", &RuleSpec::beta1},
      {"beta2", &RuleSpec::beta2},       {"epsilon", &RuleSpec::epsilon},
      {"trust", &RuleSpec::trust},       {"phi at least", &RuleSpec::phi_least},
      {"at most", &RuleSpec::phi_most},  {"for vectors rate times", &RuleSpec::vector_rate}};
  std::string words =
      fmt::format("{} with rate {}, weight decay {}", name(rule), rule.rate, rule.weight_decay);
  for (const auto& [text, number] : kNumbers) {
    if (uses(rule.kind, number)) words += fmt::format(", {} {}", text, rule.*number);
  }
  if (rule.whole_model) words += ", over the whole model";
  if (rule.svd) words += ", by a singular value decomposition";
  return words;
}

std::string group_in_words(const ParameterGroup& group) {
  std::string words =
      fmt::format("\"{}\" by {}, rate times {}", printable(group.match),
                  group.rule ? rule_in_words(*group.rule) : "the rule of the step", group.rate_factor);
  if (group.weight_decay) words += fmt::format(", weight decay {}", *group.weight_decay);
  return words;
}

}  // namespace trireme::rounds
