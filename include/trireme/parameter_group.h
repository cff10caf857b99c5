// Parameters that an update treats in another way than the rest of their module.
#pragma once

#include <trireme/rule.h>

#include <optional>
#include <string>

namespace trireme {
inline namespace TRIREME_ABI {

/// The parameters whose names match a pattern. If several groups match a parameter, the last one holds.
struct ParameterGroup {
  /// A whole name, as named_parameters() of the module has it; '*' stands for any characters, '?' for one.
  std::string match{};
  /// Updates these parameters instead of the rule of the step. Its rate has no use.
  std::optional<RuleSpec> rule{};
  /// The rate of these parameters is this times that of the rule of the step; 0: they stay as they are.
  double rate_factor = 1;
  /// Instead of the weight decay of the rule.
  std::optional<double> weight_decay{};

  bool operator==(const ParameterGroup&) const = default;
};

}  // namespace TRIREME_ABI
}  // namespace trireme
