// The signals that a job passes on, caught for as long as one runs.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace trireme::launch {

/// While one of these lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 are counted instead of
/// ending the process, whichever thread gets them; a wait in the thread that gets one ends with EINTR.
/// Several may live at once, in several threads: each is told every signal.
///
/// A SIGHUP that was ignored before stays ignored (nohup). A broken pipe is an error of `write`, no signal.
class CaughtSignals {
 public:
  CaughtSignals();
  ~CaughtSignals();
  CaughtSignals(const CaughtSignals&) = delete;
  CaughtSignals& operator=(const CaughtSignals&) = delete;

  /// Those that came since the last call, each as often as it came.
  [[nodiscard]] std::vector<int> take();

  /// Caught from the first call until this process ends: for a program that says last words after its job,
  /// which an impatient second signal is not to cut off.
  [[nodiscard]] static CaughtSignals& to_the_end();

  /// Leaves the signals that are caught here to the system again, and sets everything else as it was before.
  /// For a process just forked, with all signals blocked.
  static void restore_in_child();

  static constexpr std::size_t kSignals = 6;

 private:
  std::array<unsigned, kSignals> seen_{};
};

}  // namespace trireme::launch
