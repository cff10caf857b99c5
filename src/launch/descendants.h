// Processes that nodes leave behind and that have left their node's group, so that no signal to it reaches
// them.
#pragma once

#include <sys/types.h>

#include <span>

namespace trireme::launch {

/// While this lives, a process whose parent ends, below this process, becomes a child of this one; at the end
/// of this, all children of this process are killed. For a program that has no other children than its job's.
class Descendants {
 public:
  Descendants();
  ~Descendants();
  Descendants(const Descendants&) = delete;
  Descendants& operator=(const Descendants&) = delete;

  /// Waits for those that have ended, so that they do not add up, but not for the nodes: the job does that.
  static void wait_for_ended(std::span<const pid_t> nodes);
};

}  // namespace trireme::launch
