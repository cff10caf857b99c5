// Which cores this process may use, and moving from one to another.
#pragma once

#include <sched.h>

#include <vector>

namespace trireme {

/// Of the thread that asks.
class Cores {
 public:
  Cores();

  [[nodiscard]] int count() const { return static_cast<int>(usable_.size()); }
  [[nodiscard]] const std::vector<int>& usable() const { return usable_; }
  [[nodiscard]] static int current() { return ::sched_getcpu(); }
  /// Goes on there if it may, without being bound to it: the system may move the thread again.
  static void move_to(int core);
  /// Asks the system to let the thread in soon when it is woken, for a short time each; its share of the core
  /// stays the same. Linux does so since 6.12, for threads without a priority in real time; elsewhere nothing
  /// changes.
  static void take_short_turns();

 private:
  std::vector<int> usable_;
};

}  // namespace trireme
