// The state of update rules that was loaded, until the rules have begun with it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/rule_state.h"
#include "optim/rule.h"

namespace trireme::libtorch {

class SavedRuleState {
 public:
  void set(std::shared_ptr<const checkpoint::RuleStateReader> saved) { saved_ = std::move(saved); }
  [[nodiscard]] bool is_there() const { return saved_ != nullptr; }

  /// Fills in the state with which the rule of a parameter begins, from this element on. Returns the steps
  /// that were done in it; 0: it begins anew.
  std::int64_t start(const std::string& parameter, std::int64_t first, optim::UpdateRule& rule) const;
  /// What was saved of these elements, valid until `forget`.
  [[nodiscard]] checkpoint::RuleStatePart part(const std::string& parameter, std::int64_t first,
                                               std::int64_t count);
  void forget() { values_.clear(); }

 private:
  std::shared_ptr<const checkpoint::RuleStateReader> saved_;
  std::deque<std::vector<float>> values_;
};

}  // namespace trireme::libtorch
