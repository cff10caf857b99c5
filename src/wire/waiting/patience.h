// How a node waits when nothing can wake it: it polls, and yields to others in between.
#pragma once

#include "wire/waiting/contention.h"

namespace trireme::wire {

/// For one wait, or for many in a row.
class Patience {
 public:
  /// `crowded`: there are more processes than cores on this host, so others may need this core.
  explicit Patience(bool crowded) : crowded_(crowded), contention_(crowded) { restart(); }

  /// A wait begins, or there was progress: more may follow at once.
  void restart() {
    looks_ = 0;
    contention_.begin(Contention::Clock::now());
  }
  /// There was no progress. Returns at once at first; then yields; then sleeps for a moment. If there are
  /// cores for all, it does neither, unless other processes want this core: then it sleeps soon.
  void look_away();

 private:
  bool crowded_;
  Contention contention_;
  int looks_ = 0;  // since the last progress
};

}  // namespace trireme::wire
