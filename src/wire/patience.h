// How a node waits where nothing can wake it up: it looks again and again, and gives way to others in
// between.
#pragma once

#include "wire/contention.h"

namespace trireme::wire {

/// Of one wait, or of many one after the other.
class Patience {
 public:
  /// `crowded`: there are more processes on this host than cores, so that others may need this core.
  explicit Patience(bool crowded) : crowded_(crowded), contention_(crowded) { restart(); }

  /// A wait begins, or something has moved: more may follow at once.
  void restart() {
    looks_ = 0;
    contention_.begin(Contention::Clock::now());
  }
  /// Nothing has moved. Returns at once at first; then gives way; then sleeps for a moment. Where there are
  /// cores for all it does neither, unless other processes want this one: then it sleeps soon.
  void look_away();

 private:
  bool crowded_;
  Contention contention_;
  int looks_ = 0;  // since something moved
};

}  // namespace trireme::wire
