// The cores that this process may use, and how to move from one to another.
#pragma once

#include <sched.h>

#include <vector>

namespace trireme {

/// The cores of the calling thread.
class Cores {
 public:
  Cores();

  [[nodiscard]] int count() const { return static_cast<int>(usable_.size()); }
  [[nodiscard]] const std::vector<int>& usable() const { return usable_; }
  [[nodiscard]] static int current() { return ::sched_getcpu(); }
  /// Moves the thread to that core if it is allowed, without binding it: the system may move it again.
  static void move_to(int core);
  /// Asks the system to schedule the thread soon after it is woken, for a short time each; its share of the
  /// core stays the same. Linux supports this since 6.12, for threads without real-time priority; elsewhere
  /// nothing changes.
  static void take_short_turns();

 private:
  std::vector<int> usable_;
};

}  // namespace trireme
