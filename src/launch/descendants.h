// What nodes leave behind when they have ended: processes that have left their group, which no signal to it
// reaches.
#pragma once

#include <sys/types.h>

#include <vector>

#include "launch/job.h"

namespace trireme::launch {

/// While this lives, a process whose parent ends, below this process, becomes a child of this one; at the end
/// of this, all children of this process are killed. For a program that has no other children than its job's.
class Descendants {
 public:
  Descendants();
  ~Descendants();
  Descendants(const Descendants&) = delete;
  Descendants& operator=(const Descendants&) = delete;

  /// Has those that end while the job runs waited for, so that they do not add up. After the other hooks are
  /// set.
  void watch(JobOptions& options);

 private:
  void wait_for_ended() const;

  std::vector<pid_t> nodes_;  // for whom the job waits
};

}  // namespace trireme::launch
