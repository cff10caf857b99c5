// Everything that one thread waits for at once: sockets, and a time to wake up.
#pragma once

#include <poll.h>

#include <vector>

#include "base/deadline.h"

namespace trireme::wire::rendezvous {

/// Refilled for each wait.
class PollSet {
 public:
  void clear();
  /// `events` as in `poll`.
  void watch(int fd, short events) { fds_.push_back({fd, events, 0}); }
  /// Wakes up at this time at the latest.
  void wake_at(Deadline::Clock::time_point time);

  /// Waits until something happens or the time has come. May return early.
  void wait(const Deadline& deadline);

  /// Whether something has happened to it: a watched event, an error, or its end.
  [[nodiscard]] bool is_ready(int fd) const;

 private:
  std::vector<pollfd> fds_;
  std::vector<bool> ready_;  // by fd
  Deadline::Clock::time_point wake_ = Deadline::Clock::time_point::max();
};

}  // namespace trireme::wire::rendezvous
