#include "libtorch/saved_rule_state.h"

#include "base/types.h"

namespace trireme::libtorch {

std::int64_t SavedRuleState::start(const std::string& parameter, std::int64_t first,
                                   optim::UpdateRule& rule) const {
  const std::vector<optim::RuleState> states = rule.state();
  std::int64_t found = 0;
  for (const optim::RuleState& state : states)
    found += saved_->read(parameter, state.name, first, state.values);
  // Another rule begins anew, at its first step.
  return states.empty() || found > 0 ? saved_->steps(parameter, first, rule.shape().count()) : 0;
}

checkpoint::RuleStatePart SavedRuleState::part(const std::string& parameter, std::int64_t first,
                                               std::int64_t count) {
  checkpoint::RuleStatePart part{parameter, first, count, saved_->steps(parameter, first, count)};
  for (const std::string& state : saved_->states(parameter)) {
    std::vector<float>& values = values_.emplace_back(idx(count));
    if (saved_->read(parameter, state, first, values) == count) part.states.push_back({state, values});
  }
  return part;
}

}  // namespace trireme::libtorch
