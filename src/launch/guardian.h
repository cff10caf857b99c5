// A tiny process that outlives the launcher by a moment, so that nothing else does.
#pragma once

#include <sys/types.h>

#include "base/fd.h"
#include "base/types.h"

namespace trireme {

/// Knows the process groups of a job. When the launcher's process ends without having taken a group back, as
/// when it is killed by SIGKILL, the guardian kills that group and ends too. It is in a session of its own,
/// takes no signals that can be blocked, and holds nothing open but its end of a pipe.
///
/// A group is known as soon as `watch` returns: what is in the pipe is read even when the launcher is gone.
class Guardian {
 public:
  static constexpr Rank kMaxGroups = 1024;

  /// Forks it. Throws `Error` when there can be no more processes.
  Guardian();
  /// Ends it and waits until it has ended; groups that were not taken back are killed.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  void watch(Rank rank, pid_t group);
  /// Takes the rank's group back. To be called before its number can belong to somebody else.
  void forget(Rank rank) { watch(rank, 0); }

 private:
  Fd pipe_;
  pid_t process_ = 0;
};

}  // namespace trireme
