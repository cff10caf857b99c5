// Whatever holds the state of update rules for parameters of a module, to save it and to go on from it.
#pragma once

#include <memory>
#include <vector>

#include "checkpoint/rule_state.h"

namespace trireme::libtorch {

class RuleStateOwner {
 public:
  /// The state of the rules for all that this node updates, as it is until the next call here. What was
  /// loaded and not used yet is in it, too. With `of_unplaced` also what was loaded of parameters that were
  /// never trained since.
  [[nodiscard]] virtual std::vector<checkpoint::RuleStatePart> state(bool of_unplaced) = 0;
  /// Rules begin with what was saved, as far as it is there.
  virtual void start_from(std::shared_ptr<const checkpoint::RuleStateReader> saved) = 0;
  /// Other nodes have parts of the state that this one has not.
  [[nodiscard]] virtual bool is_shared_out() const = 0;

 protected:
  ~RuleStateOwner() = default;
};

}  // namespace trireme::libtorch
