// SIGTERM as a request: a node that waits can first report what it waits for.
#pragma once

#include <signal.h>
#include <time.h>

namespace trireme::wire::mpi {

/// Handles SIGTERM while it lives, unless the program has its own handler; there is one at a time in a
/// process.
///
/// After the signal the process has one second. Then, or when the signal comes again, it ends as it would
/// have without this class.
class TermSignal {
 public:
  TermSignal();
  ~TermSignal();
  TermSignal(const TermSignal&) = delete;
  TermSignal& operator=(const TermSignal&) = delete;

  [[nodiscard]] bool came() const;

 private:
  bool taken_ = false;
  timer_t timer_{};  // sends the signal again
  struct sigaction before_ {};
};

}  // namespace trireme::wire::mpi
