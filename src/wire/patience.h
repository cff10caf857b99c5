// How a node waits where nothing can wake it up: it looks again and again, and gives way to others in
// between.
#pragma once

#include <chrono>

namespace trireme {

/// Of one wait.
class Patience {
 public:
  /// `crowded`: there are more processes on this host than cores, so that others may need this core.
  explicit Patience(bool crowded) : crowded_(crowded) {}

  /// Something has moved: more may follow at once.
  void restart() { looks_ = 0; }
  /// Nothing has moved. Returns at once at first; then gives way; then sleeps for a moment. Where there are
  /// cores for all it does not.
  void look_away();

 private:
  bool crowded_;
  int looks_ = 0;  // since something moved
};

}  // namespace trireme
