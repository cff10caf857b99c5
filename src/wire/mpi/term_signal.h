// SIGTERM as a request: whoever waits may first say what for.
#pragma once

#include <signal.h>
#include <time.h>

namespace trireme::wire::mpi {

/// Takes SIGTERM over while it lives, unless the program has a handler of its own; one at a time in a
/// process.
///
/// Once the signal came the process has one second. Then, or when the signal comes again, it ends as it would
/// have without this.
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
