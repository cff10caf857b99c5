// All that one thread waits for at once: sockets, and a time to wake at.
#pragma once

#include <poll.h>

#include <vector>

#include "base/deadline.h"

namespace trireme::wire::rendezvous {

/// Filled anew for each wait.
class PollSet {
 public:
  void clear();
  /// `events` as `poll` has them.
  void watch(int fd, short events) { fds_.push_back({fd, events, 0}); }
  /// Not later than that.
  void wake_at(Deadline::Clock::time_point time);

  /// Until something happens or the time has come. May return early.
  void wait(const Deadline& deadline);

  /// Something has happened to it: what was watched for, an error, or its end.
  [[nodiscard]] bool is_ready(int fd) const;

 private:
  std::vector<pollfd> fds_;
  std::vector<bool> ready_;  // by fd
  Deadline::Clock::time_point wake_ = Deadline::Clock::time_point::max();
};

}  // namespace trireme::wire::rendezvous
