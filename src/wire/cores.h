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

 private:
  std::vector<int> usable_;
};

}  // namespace trireme
