// What a node does while it waits.
#pragma once

namespace trireme::wire {

/// Operations that a node has started and that move on while it waits for anything
/// (`JobWire::set_meanwhile`).
class Meanwhile {
 public:
  /// Does what can be done now, without waiting. It may throw, which ends the wait.
  virtual void advance() = 0;

 protected:
  ~Meanwhile() = default;
};

}  // namespace trireme::wire
