// Which group each parameter of a module is in, and the rule that updates it.
#pragma once

#include <trireme/parameter_group.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trireme::rounds {

/// '*' stands for any characters, '?' for one; a name matches as a whole.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

class ParameterGroups {
 public:
  static constexpr std::int64_t kNone = -1;

  /// Throws `Error` (bad input) when a group has a number that is out of range, or matches none of the names.
  ParameterGroups(std::vector<ParameterGroup> groups, std::span<const std::string> names);

  /// The group that holds for the parameter of this number; kNone: the rule of the step.
  [[nodiscard]] std::int64_t group_of(std::size_t parameter) const { return group_of_[parameter]; }

  /// The rule that updates the parameter in a step by the rule `of_step`, with the rate of that step.
  [[nodiscard]] RuleSpec rule_of(std::size_t parameter, const RuleSpec& of_step) const;

 private:
  std::vector<ParameterGroup> groups_;
  std::vector<std::int64_t> group_of_;  // by parameter
};

/// "muon with rate 0.02, weight decay 0.01, momentum 0.95, …": every number that the rule looks at, so that
/// equal words mean equal rules.
[[nodiscard]] std::string rule_in_words(const RuleSpec& rule);
/// "*.bias by the rule of the step, rate times 0.5, weight decay 0": likewise.
[[nodiscard]] std::string group_in_words(const ParameterGroup& group);

}  // namespace trireme::rounds
